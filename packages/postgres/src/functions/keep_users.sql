-- Keeps these users of these accounts in gatewarden_named_user.
create or replace function gatewarden_keep_users(accounts uuid[], users text[])
returns void language plpgsql as $body$
declare
  kept text[];
begin
  kept := array(
    select u.account_id || u.user_id from unnest(accounts, users) as n (account_id, user_id)
    join gatewarden_named_user u on u.account_id = n.account_id and u.user_id = n.user_id
    order by u.account_id, u.user_id for share of u
  );
  -- Of two that name a new user at once, the second waits for the first, and has the row then.
  insert into gatewarden_named_user (account_id, user_id)
  select n.account_id, n.user_id from unnest(accounts, users) as n (account_id, user_id)
  where n.account_id || n.user_id <> all (kept) order by n.account_id, n.user_id
  on conflict (account_id, user_id) do update set user_id = excluded.user_id;
end
$body$
