-- How many days before its expiry a key is alerted of: `expiryNotice` of core.
create or replace function gatewarden_expiry_notice(created timestamptz, expires timestamptz, at timestamptz)
returns integer language sql stable as $body$
  select case
    when expires <= at then null
    when expires <= at + 86400 * interval '1 second' and expires > created + 86400 * interval '1 second' then 1
    when expires <= at + 7 * 86400 * interval '1 second' and expires > created + 7 * 86400 * interval '1 second' then 7
  end
$body$
