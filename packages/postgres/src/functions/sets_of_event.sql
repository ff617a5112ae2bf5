-- The sets of cells that take in an event which is recorded for a day, as an expression over gatewarden_usage_event e and
-- gatewarden_usage_day d: those that the day has, and those that are being made if its place was passed.
create or replace function gatewarden_sets_of_event()
returns text language sql immutable as $body$
  select 'd.kept || case when d.making_for = ''the day in progress'' and (e.created_at, e.id) <= (d.made_at, d.made_id) then d.making
    else ''{}'' end as kept'
$body$
