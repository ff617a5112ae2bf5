-- The part of a charge that lies above the limit; `spent` includes the charge. `judgeSettlement` of core.
create or replace function gatewarden_overdraft(budget_limit numeric, spent numeric, charged numeric)
returns numeric language sql immutable as $body$
  select least(greatest(spent - budget_limit, 0), charged)
$body$
