-- An amount that no event has, as rows of the sums by day: one for each spender, of the day of its hold.
create or replace function gatewarden_sums_of(
  key_hash text, user_id text, workspace_id uuid, held_at timestamptz, nanos numeric, byok_nanos numeric
)
returns table (spender text, entity text, day date, charged_nanos numeric, charged_byok_nanos numeric)
language sql immutable as $body$
  select s.spender, s.entity, (held_at at time zone 'UTC')::date, nanos, byok_nanos
  from gatewarden_spenders(key_hash, user_id, workspace_id::text) s
  where s.entity is not null and (nanos <> 0 or byok_nanos <> 0)
$body$
