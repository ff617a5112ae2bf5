-- Forgets recipients of mail that no channel of their account names any more.
create or replace function gatewarden_forget_recipients()
returns trigger language plpgsql as $body$
begin
  delete from gatewarden_mail_recipient r
  using (select distinct account_id from removed where type = 'email') changed
  where r.account_id = changed.account_id and not exists (
    select from gatewarden_alert_channel c cross join lateral json_array_elements_text(c.config -> 'to') as named (address)
    where c.account_id = r.account_id and lower(named.address) = r.address
  );
  return null;
end
$body$
