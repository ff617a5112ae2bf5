-- Statements that add or remove rows; of each row that is changed, where it names another user.
create or replace function gatewarden_name_users()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_keep_users(n.accounts, n.users) from (select array_agg(r.account_id), array_agg(r.user_id)
    from (select distinct account_id, user_id from added where user_id is not null order by account_id, user_id) r
      having count(*) > 0) n (accounts, users);
  elsif tg_op = 'DELETE' then
    perform gatewarden_drop_users(n.accounts, n.users) from (select array_agg(r.account_id), array_agg(r.user_id)
    from (select distinct account_id, user_id from removed where user_id is not null order by account_id, user_id) r
      having count(*) > 0) n (accounts, users);
  else
    if new.user_id is not null then
      perform gatewarden_keep_users(array[new.account_id], array[new.user_id]);
    end if;
    if old.user_id is not null then
      perform gatewarden_drop_users(array[old.account_id], array[old.user_id]);
    end if;
  end if;
  return null;
end
$body$
