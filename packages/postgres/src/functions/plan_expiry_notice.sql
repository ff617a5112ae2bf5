-- Plans the first alert of a new key: its expiry changes only when it is revoked.
create or replace function gatewarden_plan_expiry_notice()
returns trigger language plpgsql as $body$
begin
  new.next_notice := coalesce(
    gatewarden_expiry_notice(new.created_at, new.expires_at, new.expires_at - 7 * 86400 * interval '1 second'),
    gatewarden_expiry_notice(new.created_at, new.expires_at, new.expires_at - 86400 * interval '1 second')
  );
  return new;
end
$body$
