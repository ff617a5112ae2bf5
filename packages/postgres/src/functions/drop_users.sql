-- Removes users from gatewarden_named_user whom nothing names any more.
create or replace function gatewarden_drop_users(accounts uuid[], users text[])
returns void language plpgsql as $body$
begin
  perform from unnest(accounts, users) as n (account_id, user_id)
  join gatewarden_named_user u on u.account_id = n.account_id and u.user_id = n.user_id
  order by u.account_id, u.user_id for update of u;
  delete from gatewarden_named_user u using unnest(accounts, users) as n (account_id, user_id)
  where u.account_id = n.account_id and u.user_id = n.user_id
    and not exists (select from gatewarden_api_key k where k.account_id = u.account_id and k.user_id = u.user_id)
    and not exists (select from gatewarden_workspace_member m where m.account_id = u.account_id and m.user_id = u.user_id)
    and not exists (select from gatewarden_directory_user d where d.account_id = u.account_id and d.user_id = u.user_id);
end
$body$
