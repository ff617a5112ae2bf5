import type { Acting, ActingEach } from "@gatewarden/core/store"
import type { SqlFunction } from "./SqlFunction.ts"

/**
 * How a write names its actor to the triggers that record it: in the setting `gatewarden.acting`, which lasts as long as the transaction.
 *
 * It is the JSON of one actor, or of several, each after a separator, the id of what it changes and another separator: no separator occurs
 * in JSON. A trigger cuts out its own without parsing the others.
 */
export const actingText = (acts: Acting | ActingEach): string =>
  "each" in acts
    ? Array.from(acts.each, ([id, acting]) => `\u001e${id}\u001f${JSON.stringify(acting)}`).join("")
    : JSON.stringify(acts)

/** An SQL expression: the JSON of who changes what has this id, of what the setting says; empty or null when nobody acts. */
export const actingSql = (acts: string, id: string): string =>
  `case when starts_with(${acts}, E'\\x1e')
      then split_part(split_part(${acts}, E'\\x1e' || ${id} || E'\\x1f', 2), E'\\x1e', 1)
      else ${acts} end`

/**
 * The same facts of many changes, in a third of the time: a subquery that has them beside the columns of `changes`. It fails where a text is
 * not what Gatewarden writes. `offset 0`: each text is read once.
 */
export const plainFactsSql = (changes: string): string => `(
    select c.*, coalesce(said -> 'actor' ->> 'type', 'database') as actor_type, said -> 'actor' ->> 'id' as actor_id,
      said ->> 'operation' as operation, said ->> 'request_id' as request_id, coalesce((said ->> 'at')::timestamptz, created_at) as at
    from (select c.*, nullif(c.acting, '')::jsonb as said from ${changes} c offset 0) c offset 0
  )`

/** The same, whatever the texts are. */
export const factsSql = (changes: string): string => `(
    select c.*, facts.* from ${changes} c cross join lateral gatewarden_acting_facts(c.acting, c.created_at) facts
  )`

/** Who acted, of the text that a change bears. What does not come through Gatewarden, or is no such text, has the actor `database`. */
export const actingFacts: SqlFunction = {
  name: "gatewarden_acting_facts",
  sql: `
create or replace function gatewarden_acting_facts(
  acting text, written_at timestamptz,
  out actor_type text, out actor_id text, out operation text, out request_id text, out at timestamptz
) language plpgsql stable as $body$
declare
  said json;
begin
  said := nullif(acting, '')::json;
  actor_type := coalesce(said -> 'actor' ->> 'type', 'database');
  actor_id := said -> 'actor' ->> 'id';
  operation := said ->> 'operation';
  request_id := said ->> 'request_id';
  at := coalesce((said ->> 'at')::timestamptz, written_at);
  if not isfinite(at) then
    at := written_at;
  end if;
exception when others then
  actor_type := 'database'; actor_id := null; operation := null; request_id := null; at := written_at;
end
$body$
`
}

/** Records that the installation's catalog was written, which belongs to no account. */
export const logCatalogChange: SqlFunction = {
  name: "gatewarden_log_catalog_change",
  sql: `
create or replace function gatewarden_log_catalog_change() returns trigger language plpgsql volatile as $body$
begin
  insert into gatewarden_changes (account_id, noun, action, id, acting, after)
    select null, 'catalog', 'update', '', current_setting('gatewarden.acting', true), json_build_object('models', count(*))
    from changed having count(*) > 0;
  return null;
end
$body$
`
}

/** Records that accounts wrote models of their own. */
export const logOwnModelChange: SqlFunction = {
  name: "gatewarden_log_own_model_change",
  sql: `
create or replace function gatewarden_log_own_model_change() returns trigger language plpgsql volatile as $body$
begin
  insert into gatewarden_changes (account_id, noun, action, id, acting, after)
    select account_id, 'catalog', 'update', '', current_setting('gatewarden.acting', true), json_build_object('models', count(*))
    from changed group by account_id;
  return null;
end
$body$
`
}

/**
 * The body of a trigger that counts rows as they come, change and go. The statement reads them from what it is given: each with 1 where it is
 * there now, and with -1 where it was there before, as `n`.
 */
export const ofChanges = (columns: string, statement: (changes: string) => string): string => `
begin
  if tg_op = 'INSERT' then${statement(`select ${columns}, 1::bigint as n from added`)}
  elsif tg_op = 'DELETE' then${statement(`select ${columns}, -1::bigint as n from removed`)}
  else${statement(`select ${columns}, 1::bigint as n from added union all select ${columns}, -1::bigint from removed`)}
  end if;
  return null;
end
`

/** Counts rows for one of their columns that names their owner, and for the account. */
export const countListed =
  (kind: string, owner: string) =>
  (changes: string): string =>
    `
    perform gatewarden_add_listed(${kind}, array_agg(c.account_id), array_agg(c.${owner}), array_agg(c.n))
    from (
      select account_id, ${owner}, sum(n)::bigint as n from (${changes}) changed group by account_id, ${owner} having sum(n) <> 0
    ) c having count(*) > 0;`

/** Keeps the hashes of deleted keys for a while. Each deletion removes a few rows that are too many, so that deleting cannot fill the table. */
export const noteDeletedKeys: SqlFunction = {
  name: "gatewarden_note_deleted_keys",
  sql: `
create or replace function gatewarden_note_deleted_keys()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_deleted_key (hash, account_id, deleted_at, user_id, external_user)
    select hash, account_id, clock_timestamp(), user_id, external_user from removed order by hash
    on conflict (hash) do update set account_id = excluded.account_id, deleted_at = excluded.deleted_at,
      user_id = excluded.user_id, external_user = excluded.external_user;
  delete from gatewarden_deleted_key where hash in (
    select hash from gatewarden_deleted_key where deleted_at < now() - interval '90 days'
    order by deleted_at limit 100 for update skip locked
  );
  delete from gatewarden_deleted_key where hash in (
    select surplus.hash from (select distinct account_id from removed) account cross join lateral (
      select hash from gatewarden_deleted_key d where d.account_id = account.account_id
      order by d.deleted_at desc offset 10000 limit 100 for update skip locked
    ) surplus
  );
  return null;
end
$body$
`
}

/** Keeps the hashes of the latest secrets of deleted keys with those of the keys, so that whoever sends one is told that the key was deleted. */
export const noteDeletedSecrets: SqlFunction = {
  name: "gatewarden_note_deleted_secrets",
  sql: `
create or replace function gatewarden_note_deleted_secrets()
returns trigger language plpgsql as $body$
begin
  insert into gatewarden_deleted_key (hash, account_id, deleted_at)
    select r.secret_hash, r.account_id, clock_timestamp() from removed r
    where r.number > (select max(number) - 3 from removed m where m.key_hash = r.key_hash)
      and not exists (select from gatewarden_api_key k where k.hash = r.key_hash)
    order by r.secret_hash
    on conflict (hash) do nothing;
  return null;
end
$body$
`
}
