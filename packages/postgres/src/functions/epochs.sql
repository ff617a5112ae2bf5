-- Epoch milliseconds as text, which JSON keeps exact; null for the start of a lifetime.
create or replace function gatewarden_epochs(instants timestamptz[])
returns text[] language sql immutable as $body$
  select array_agg(gatewarden_epoch(i.at) order by i.n)
  from unnest(instants) with ordinality as i (at, n)
$body$
