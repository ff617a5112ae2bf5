-- Epoch milliseconds as text, which JSON keeps exact; null for the start of a lifetime.
create or replace function gatewarden_epoch(at timestamptz)
returns text language sql immutable as $body$
  select case when isfinite(at) then (extract(epoch from at) * 1000)::bigint::text end
$body$
