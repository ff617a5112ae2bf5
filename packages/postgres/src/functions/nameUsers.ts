/**
 * Keeps the users of an account, for the list of them: a user is there while a key, a membership or a directory names it.
 *
 * Whoever names a user holds the user's row, and whoever takes the last name away takes the row and looks again: the two wait for each other, so
 * a user that is named stays, and one that nobody names goes. Rows come in one order.
 */
import type { SqlFunction } from "./SqlFunction.ts"

const named = (rows: string) =>
  `select array_agg(r.account_id), array_agg(r.user_id)
    from (select distinct account_id, user_id from ${rows} where user_id is not null order by account_id, user_id) r having count(*) > 0`

export const keepUsers: SqlFunction = {
  name: "gatewarden_keep_users",
  sql: `
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
`
}

export const dropUsers: SqlFunction = {
  name: "gatewarden_drop_users",
  sql: `
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
`
}

/** Statements that add or remove rows; of each row that is changed, where it names another user. */
export const nameUsers: SqlFunction = {
  name: "gatewarden_name_users",
  sql: `
create or replace function gatewarden_name_users()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    perform gatewarden_keep_users(n.accounts, n.users) from (${named("added")}) n (accounts, users);
  elsif tg_op = 'DELETE' then
    perform gatewarden_drop_users(n.accounts, n.users) from (${named("removed")}) n (accounts, users);
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
`
}
