-- The numbers of the coarse sets of cells, which take in what is recorded later.
create or replace function gatewarden_coarse_sets()
returns smallint[] language sql immutable as $body$
  select array[0, 8, 64, 128, 136, 192]::smallint[]
$body$
