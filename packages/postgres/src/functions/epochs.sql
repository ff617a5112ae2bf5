-- Epoch milliseconds as text, which JSON keeps exact.
create or replace function gatewarden_epochs(instants timestamptz[])
returns text[] language sql immutable as $body$
  select array_agg((extract(epoch from i.at) * 1000)::bigint::text order by i.n) from unnest(instants) with ordinality as i (at, n)
$body$
