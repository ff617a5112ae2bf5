-- The place of a spender's window in a list of budgets: those of one interval stand together, one for each spender, so that another
-- interval moves none that is kept.
create or replace function gatewarden_spender_slot(asked_spender text, asked_interval text)
returns int language sql immutable as $body$
  select (gatewarden_interval_place(asked_interval) - 1) * 4
    + case asked_spender when 'key' then 1 when 'user' then 2 when 'workspace' then 3 when 'workspace_user' then 4 end
$body$
