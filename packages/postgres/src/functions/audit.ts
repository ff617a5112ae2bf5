import type { Noun } from "@gatewarden/contract"
import { type SqlFunction, byKeys } from "./SqlFunction.ts"
import { actingSql, factsSql, plainFactsSql } from "./changes.ts"

/**
 * The hash of a change: over the hash before, the position, and a digest of the seal and of the change itself.
 *
 * The digest is apart, so that those of many changes are made in one pass, and only their links one after the other.
 *
 * Column by column, so that a column that is added breaks no chain. `seal` and `change` are aliases of rows, of the one that has the actor and
 * the one that was recorded. Rows of two or three kilobytes follow with their lengths, as writing them as strings of JSON costs more than
 * to hash them.
 */
export const digestSql = (seal: string, change: string): string => `encode(sha256(convert_to(json_build_array(
    ${change}.seq, ${change}.account_id, ${change}.noun, ${change}.action, ${change}.id, ${change}.workspace_id,
    ${seal}.actor_type, ${seal}.actor_id, ${seal}.operation, ${seal}.request_id, ${change}.acting,
    (extract(epoch from ${seal}.at) * 1000000)::bigint, extract(epoch from ${change}.created_at),
    octet_length(${change}.before::text), octet_length(${change}.after::text)
  )::text || coalesce(${change}.before::text, '') || coalesce(${change}.after::text, ''), 'UTF8')), 'hex')`

/** `position` and `digest` are those of the change, `previous` is the hash of the one before. */
export const linkSql = (previous: string, position: string, digest: string): string =>
  `encode(sha256(convert_to(${previous} || ' ' || ${position} || ' ' || ${digest}, 'UTF8')), 'hex')`

/** The hashes of changes that follow each other behind a position and its hash. */
export const chainHashes: SqlFunction = {
  name: "gatewarden_chain_hashes",
  sql: `
create or replace function gatewarden_chain_hashes(hash text, place bigint, digests text[]) returns text[] language plpgsql immutable as $body$
declare
  digest text;
  hashes text[] := '{}';
begin
  foreach digest in array digests loop
    place := place + 1;
    hash := ${linkSql("hash", "place", "digest")};
    hashes := array_append(hashes, hash);
  end loop;
  return hashes;
end
$body$
`
}

/** The account whose audit log has a change; what belongs to no account is the operator's. `change` is the alias of the row. */
export const ownerSql = (change: string): string =>
  `coalesce(${change}.account_id, (select id from gatewarden_account where name = 'default'), '00000000-0000-0000-0000-000000000000')`

interface RecordedTable {
  /** Without the prefix. */
  readonly table: string
  readonly noun: Noun
  /** The column of its id, its account and its workspace. */
  readonly id: string
  readonly account?: string
  readonly workspace?: string
  /** Columns that hold secrets: that one was replaced is recorded, not by what. */
  readonly hidden?: readonly string[]
  /** A row is put on something, rather than made. */
  readonly isAssignment?: true
  /** Values of other tables that belong to it, each an expression of `row`. */
  readonly more?: Readonly<Record<string, string>>
}

/** The tables that hold configuration, and how a row of each is named in the stream of changes. */
export const recordedTables: readonly RecordedTable[] = [
  { table: "account", noun: "account", id: "id", account: "id" },
  { table: "organization_settings", noun: "organization_settings", id: "account_id" },
  { table: "workspace", noun: "workspace", id: "id", workspace: "id" },
  { table: "workspace_member", noun: "workspace_member", id: "user_id", workspace: "workspace_id" },
  { table: "workspace_budget", noun: "workspace_budget", id: "interval", workspace: "workspace_id" },
  { table: "api_key", noun: "key", id: "hash", workspace: "workspace_id" },
  { table: "key_rate_limit", noun: "key_rate_limits", id: "key_hash" },
  {
    table: "credit_grant",
    noun: "credit_grant",
    id: "id",
    // Decimal strings: nano-dollars may be more than a number of JavaScript holds.
    more: {
      amount_usd: "trim_scale(row.amount_nanos * 0.000000001)::text",
      total_usd: "trim_scale(row.total_nanos * 0.000000001)::text"
    }
  },
  {
    table: "alert_channel",
    noun: "alert_channel",
    id: "id",
    workspace: "workspace_id",
    hidden: ["sealed_config"]
  },
  { table: "guardrail", noun: "guardrail", id: "id", workspace: "workspace_id" },
  { table: "guardrail_key", noun: "key_assignment", id: "key_hash", isAssignment: true },
  { table: "guardrail_member", noun: "member_assignment", id: "user_id", isAssignment: true },
  { table: "byok_credential", noun: "byok_credential", id: "id", workspace: "workspace_id", hidden: ["sealed_key"] },
  { table: "destination", noun: "destination", id: "id", workspace: "workspace_id", hidden: ["sealed_config"] },
  { table: "federation_policy", noun: "federation_policy", id: "id", workspace: "workspace_id" },
  // What the directory tells of a person is in its row alone, and goes with it.
  { table: "directory_user", noun: "directory_user", id: "id", hidden: ["attributes"] },
  { table: "directory_sync", noun: "directory_sync", id: "id" },
  // Who it is for is in the request, which ends with it.
  { table: "erasure", noun: "erasure", id: "id", hidden: ["sealed_request", "request_digest"] },
  { table: "directory_group", noun: "directory_group", id: "id" },
  { table: "group_mapping", noun: "group_mapping", id: "id", workspace: "workspace_id" },
  { table: "external_user", noun: "external_user", id: "id" },
  { table: "private_provider", noun: "private_provider", id: "slug" },
  { table: "private_endpoint", noun: "private_endpoint", id: "id" },
  {
    table: "preset",
    noun: "preset",
    id: "slug",
    workspace: "workspace_id",
    // The body is in the table of versions, which keeps them all.
    more: { version: "(select version from gatewarden_preset_version where id = row.designated_version_id)" }
  },
  {
    table: "authorization_code",
    noun: "authorization_code",
    id: "code_hash",
    workspace: "workspace_id",
    hidden: ["challenge_hash"]
  }
]

type Table = (typeof recordedTables)[number]
type Row = "old" | "new"

const json = ({ more }: Table, row: Row): string => {
  if (more === undefined) return `row_to_json(${row})`
  const columns = Object.entries(more).map(
    ([name, expression]) => `${expression.replaceAll("row.", `${row}.`)} as ${name}`
  )
  return `(select row_to_json(whole) from (select ${row}.*, ${columns.join(", ")}) whole)`
}

const insert = (table: Table, action: string, row: Row, was: string, becomes: string): string => {
  const { noun, id, account = "account_id", workspace } = table
  return `insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      ${row}.${account}, '${noun}', '${action}', ${row}.${id}, ${workspace === undefined ? "null" : `${row}.${workspace}`},
      ${actingSql("acts", `${row}.${id}`)}, ${was}, ${becomes}
    );`
}

const hide = ({ hidden = [] }: Table, row: Row): string => hidden.map((name) => `${row}.${name} := null;`).join(" ")

const recordTable = (table: Table): SqlFunction => {
  const name = `gatewarden_record_${table.table}`
  const [made, changed, removed] =
    table.isAssignment === true ? ["assign", "assign", "unassign"] : ["create", "update", "delete"]
  return {
    name,
    sql: `
create or replace function ${name}() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    ${hide(table, "old")} ${hide(table, "new")}
    ${insert(table, changed, "new", json(table, "old"), json(table, "new"))}
  elsif tg_op = 'INSERT' then
    ${hide(table, "new")}
    ${insert(table, made, "new", "null", json(table, "new"))}
  else
    ${hide(table, "old")}
    ${insert(table, removed, "old", json(table, "old"), "null")}
  end if;
  return null;
end
$body$
`
  }
}

const file: Table = { table: "file", noun: "file", id: "id", workspace: "workspace_id" }

/** A file exists once its content is stored, and is gone as soon as nobody can read it. */
const recordFile: SqlFunction = {
  name: "gatewarden_record_file",
  sql: `
create or replace function gatewarden_record_file() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if old.state <> 'stored' then
    ${insert(file, "create", "new", "null", "row_to_json(new)")}
  else
    ${insert(file, "delete", "old", "row_to_json(old)", "null")}
  end if;
  return null;
end
$body$
`
}

/**
 * Appends a row of a table to the stream of changes, before and after, with whoever acts: a function for each table.
 *
 * A writer waits for it, so it is one `insert` of rows that PostgreSQL prints as JSON by itself. PostgreSQL prepares each expression of a
 * trigger anew in each transaction: comparing column by column, or calling one function for all tables, costs several times as much. The
 * setting is read once: it is as long as the requests that share the statement are many. What is read of a row, and sealed, comes later.
 */
export const recordRows: readonly SqlFunction[] = [...recordedTables.map(recordTable), recordFile]

const unsealed = `(
      select *, ${ownerSql("c")} as owner from gatewarden_changes c
      where xact >= coalesce(begun, '0') and (of_owner is null or ${ownerSql("c")} = of_owner)
        and not exists (select from gatewarden_audit_seal s where s.xact = c.xact and s.seq = c.seq)
      order by xact, seq limit most
    )`

/** Changes of an account go through arrays, as nothing else hands the hash of one to the next. */
const seal = (facts: (changes: string) => string): string => `
    with due as materialized (
      select owner, xact, seq, at, actor_type, actor_id, operation, request_id, ${digestSql("c", "c")} as digest
      from ${facts(unsealed)} c
    ), chains as (
      select owner, array_agg(xact order by xact, seq) as xacts, array_agg(seq order by xact, seq) as seqs,
        array_agg(at order by xact, seq) as ats, array_agg(actor_type order by xact, seq) as actor_types,
        array_agg(actor_id order by xact, seq) as actor_ids, array_agg(operation order by xact, seq) as operations,
        array_agg(request_id order by xact, seq) as request_ids, array_agg(digest order by xact, seq) as digests
      from due group by owner
    ), ends as (
      select c.*, coalesce(behind.position + 1, a.position, 0) as position, coalesce(behind.hash, a.hash, '') as hash
      from chains c left join gatewarden_audit_chain a on a.owner = c.owner
      left join lateral (
        select s.position, s.hash from gatewarden_audit_seal s
        where s.owner = c.owner and s.position > coalesce(a.position, 0) order by s.position desc limit 1
      ) behind on true
    ), seals as (
      insert into gatewarden_audit_seal (owner, position, xact, seq, at, actor_type, actor_id, operation, request_id, hash)
      select e.owner, e.position + s.nth, s.xact, s.seq, s.at, s.actor_type, s.actor_id, s.operation, s.request_id, s.hash
      from ends e cross join lateral unnest(
        e.xacts, e.seqs, e.ats, e.actor_types, e.actor_ids, e.operations, e.request_ids,
        gatewarden_chain_hashes(e.hash, e.position, e.digests)
      ) with ordinality s (xact, seq, at, actor_type, actor_id, operation, request_id, hash, nth)
      returning owner, position, xact, hash
    ), ended as (
      insert into gatewarden_audit_chain (owner, position, hash)
      select distinct on (owner) owner, position, hash from seals order by owner, position desc
      on conflict (owner) do update set position = excluded.position, hash = excluded.hash, is_signed = false
    )
    select count(*), (select xact from seals order by xact desc limit 1) into sealed, newest from seals;`

/**
 * Seals up to most changes, oldest first, of one account or of all. One at a time: another caller waits, and finds them sealed.
 *
 * Every transaction before the horizon has ended, so changes before it that are visible are all there will be: once all are sealed, the
 * next call begins there. Rows that a copy of another database brought bear its transactions: they are given this one, and a horizon of
 * that database is forgotten before this one's transactions reach it.
 *
 * A chain whose end was taken back or removed goes on behind its last seal and leaves a position out, which stays missing for whoever verifies.
 *
 * A transaction whose snapshot is older than the lock, or that may not write, seals nothing: whoever reads the log in it would fail.
 *
 * Writers share the processor with it: one statement seals all, reads the end of each chain once and writes it once. It knows what
 * Gatewarden writes about who acted; where a text is anything else, the batch is read once more, text by text.
 */
export const sealChanges: SqlFunction = {
  name: "gatewarden_seal_changes",
  sql: `
create or replace function gatewarden_seal_changes(of_owner uuid, most integer) returns integer language plpgsql ${byKeys} as $body$
declare
  horizon xid8;
  begun xid8;
  newest xid8;
  sealed integer;
begin
  if current_setting('transaction_isolation') <> 'read committed' or current_setting('transaction_read_only')::boolean then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gatewarden_changes seal', 0));
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  delete from gatewarden_audit_horizon where sealed_before > pg_snapshot_xmax(pg_current_snapshot());
  select sealed_before into begun from gatewarden_audit_horizon;
  with foreign_rows as (
    select xact, seq from gatewarden_changes
    where xact >= pg_snapshot_xmax(pg_current_snapshot()) and xact is distinct from pg_current_xact_id_if_assigned()
  ), renumbered as (
    update gatewarden_changes c set xact = pg_current_xact_id() from foreign_rows f where (c.xact, c.seq) = (f.xact, f.seq)
  )
  update gatewarden_audit_seal s set xact = pg_current_xact_id() from foreign_rows f where (s.xact, s.seq) = (f.xact, f.seq);
  begin${seal(plainFactsSql)}
  exception when data_exception then${seal(factsSql)}
  end;
  if of_owner is null and exists (
    select from gatewarden_changes where xact >= coalesce(begun, '0') and (begun is null or xact < horizon)
  ) then
    if sealed = most then
      horizon := least(horizon, newest);
    end if;
    insert into gatewarden_audit_horizon (sealed_before) values (horizon)
      on conflict (one) do update set sealed_before = excluded.sealed_before;
  end if;
  return sealed;
end
$body$
`
}
