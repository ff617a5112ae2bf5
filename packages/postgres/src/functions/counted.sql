-- The part of an amount that a budget counts: `countedBy` of core.
create or replace function gatewarden_counted(nanos numeric, byok_nanos numeric, counts_byok boolean)
returns numeric language sql immutable as $body$
  select case when counts_byok then nanos + byok_nanos else nanos end
$body$
