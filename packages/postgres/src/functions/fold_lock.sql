-- The advisory lock of whoever adds events of an account to cells, or renames somebody in them.
create or replace function gatewarden_fold_lock(account uuid)
returns bigint language sql immutable as $body$
  select hashtextextended('gatewarden/fold/' || account::text, 0)
$body$
