-- What an id of an account is known by: half of a digest. Stable, as what it calls is, so that its text takes its place in statements.
create or replace function gatewarden_usage_key(asked_account uuid, asked_id text)
returns uuid language sql stable as $body$
  select encode(substr(sha256(convert_to(asked_account::text || ' ' || asked_id, 'UTF8')), 1, 16), 'hex')::uuid
$body$
