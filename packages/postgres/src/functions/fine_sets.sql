-- The fine roll-ups, by day, as grouping sets.
create or replace function gatewarden_fine_sets()
returns text language sql immutable as $body$
  select 'grouping sets ((status, finish_reason), (app), (api_key_hash), (model, variant, provider, endpoint_tag), (user_id), '
    || '(model, variant, api_key_hash), (model, variant, user_id), (external_user))'
$body$
