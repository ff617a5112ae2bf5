-- The number of a fine set of cells, as an expression over groups: its roll-up.
create or replace function gatewarden_fine_set()
returns text language sql immutable as $body$
  select '(127 - grouping(model, api_key_hash, user_id, provider, app, status, external_user))'
$body$
