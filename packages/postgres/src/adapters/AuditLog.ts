import type { Action, Noun } from "@gatewarden/contract/internal"
import {
  type AuditEntry,
  AuditLog,
  type AuditVerdict,
  type Facts,
  type NewSignature,
  auditPageBytes,
  auditedFacts,
  maxBroken,
  sealBatch
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digestSql, linkSql, ownerSql } from "../functions/audit.ts"
import { arrayLiteral, byteaLiteral } from "../statements/literals.ts"
import { nanosText } from "../statements/rows.ts"
import { reading, unhurried, writing } from "../statements/statements.ts"

interface Row {
  readonly position: bigint
  readonly at: Date
  readonly noun: Noun
  readonly action: Action
  readonly id: string
  readonly workspace_id: string | null
  readonly actor_type: AuditEntry["actor"]["type"]
  readonly actor_id: string | null
  readonly operation: string | null
  readonly request_id: string | null
  readonly before: string | null
  readonly after: string | null
  readonly nanos_before: string | null
  readonly nanos_after: string | null
  readonly hash: string
  readonly is_full: boolean
  readonly reached: bigint | null
}

/** Amounts are named as the API names them. */
const amountOf = (noun: Noun): string => (noun === "key" || noun === "authorization_code" ? "limit" : "limit_usd")

/** `nanos`: `limit_nanos` of the row, which may be more than a number of JavaScript holds. */
const factsOf = (noun: Noun, text: string | null, nanos: string | null): Facts | null => {
  if (text === null) return null
  const row = JSON.parse(text) as Record<string, unknown>
  const facts: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (name === "limit_nanos") facts[amountOf(noun)] = nanos === null ? null : nanosText(nanos)
    else if (name.endsWith("_at") && typeof value === "string") facts[name] = new Date(value).toISOString()
    else facts[name] = value
  }
  return auditedFacts(noun, facts)
}

const entryOf = (row: Row): AuditEntry => ({
  position: Number(row.position),
  at: row.at.toISOString(),
  noun: row.noun,
  action: row.action,
  entity: row.id,
  workspace_id: row.workspace_id,
  actor: { type: row.actor_type, id: row.actor_id },
  operation: row.operation,
  request_id: row.request_id,
  before: factsOf(row.noun, row.before, row.nanos_before),
  after: factsOf(row.noun, row.after, row.nanos_after),
  hash: row.hash
})

/** As a number: of what ISO 8601 writes, PostgreSQL reads no year 0 and not any number of digits. */
const secondsOf = (instant: string | undefined): number | null =>
  instant === undefined ? null : Date.parse(instant) / 1_000

export const auditLog = Effect.map(SqlClient.SqlClient, (sql) =>
  AuditLog.of({
    // Sizes are summed up entry by entry: the database reads no more of what is large than it sends. What is recorded of a change is looked
    // up by its seal, and not before the seal matches: a filter never makes the database read another account's changes.
    list: (account_id, { actor, noun, entity, operation, from, to }, { limit, below, examined }) => {
      const sealed = sql`owner = ${account_id}::uuid and position < coalesce(${below === undefined ? null : String(below)}::bigint, 9223372036854775807)`
      return reading(
        Effect.map(
          sql<Row | { readonly position: null; readonly is_full: null; readonly reached: bigint | null }>`
            with recursive found as materialized (
              select array_agg(position order by position desc) as positions, array_agg(xact order by position desc) as xacts,
                array_agg(seq order by position desc) as seqs
              from (
                select s.position, s.xact, s.seq
                from (
                  select * from gatewarden_audit_seal where ${sealed} order by position desc limit ${examined}::int
                ) s
                -- offset 0: each change is looked up by its key, and the scan ends with the seals that are examined.
                cross join lateral (
                  select noun, id from gatewarden_changes where xact = s.xact and seq = s.seq offset 0
                ) c
                where (${actor ?? null}::text is null or s.actor_id = ${actor ?? null} or s.actor_type = ${actor ?? null})
                  and (${noun ?? null}::text is null or c.noun = ${noun ?? null})
                  and (${entity ?? null}::text is null or c.id = ${entity ?? null})
                  and (${operation ?? null}::text is null or s.operation = ${operation ?? null})
                  and (${secondsOf(from)}::float8 is null or s.at >= to_timestamp(${secondsOf(from)}::float8))
                  and (${secondsOf(to)}::float8 is null or s.at < to_timestamp(${secondsOf(to)}::float8))
                order by s.position desc limit ${limit}::int
              ) latest
            ), page as (
              select 0 as nth, 0::bigint as bytes
              union all
              select page.nth + 1, page.bytes + coalesce(octet_length(c.before::text), 0) + coalesce(octet_length(c.after::text), 0)
              from page cross join found f join gatewarden_changes c on c.xact = f.xacts[page.nth + 1] and c.seq = f.seqs[page.nth + 1]
              where page.bytes <= ${auditPageBytes}::int
            ), extent as materialized (
              select exists (select from page where nth = ${limit}::int or bytes > ${auditPageBytes}::int) as is_full
            )
            select s.position, s.at, c.noun, c.action, c.id, c.workspace_id, s.actor_type, s.actor_id, s.operation, s.request_id,
              c.before::text as before, c.after::text as after, c.before ->> 'limit_nanos' as nanos_before,
              c.after ->> 'limit_nanos' as nanos_after, s.hash, extent.is_full,
              case when not extent.is_full then (
                select position from gatewarden_audit_seal where ${sealed} order by position desc offset ${examined - 1}::int limit 1
              ) end as reached
            from extent left join (
              page cross join found f
              join gatewarden_audit_seal s on s.owner = ${account_id}::uuid and s.position = f.positions[page.nth]
              join gatewarden_changes c on c.xact = s.xact and c.seq = s.seq
            ) on page.nth = 1 or page.bytes <= ${auditPageBytes}::int
            order by s.position desc`,
          (rows) => {
            const entries = rows.flatMap((row) => (row.position === null ? [] : [entryOf(row)]))
            const [first] = rows
            const reached = first?.reached ?? undefined
            return {
              entries,
              next:
                first?.is_full === true ? entries.at(-1)?.position : reached === undefined ? undefined : Number(reached)
            }
          }
        )
      )
    },
    seal: (account_id) =>
      writing(
        Effect.map(
          sql<{
            sealed: number
          }>`select gatewarden_seal_changes(${account_id ?? null}::uuid, ${sealBatch}::int) as sealed`,
          ([row]) => row?.sealed ?? 0
        )
      ),
    unsigned: (account_id, limit) =>
      reading(
        Effect.map(
          sql<{ account_id: string; position: bigint; hash: string; signature: Uint8Array | null }>`
            select c.owner::text as account_id, c.position, c.hash, s.sealed as signature
            from gatewarden_audit_chain c left join gatewarden_audit_signature s on s.account_id = c.owner
            where not c.is_signed ${account_id === undefined ? sql`` : sql`and c.owner = ${account_id}::uuid`}
            order by c.owner limit ${limit}::int`,
          (rows) => rows.map((row) => ({ ...row, position: Number(row.position) }))
        )
      ),
    sign: (signatures) => {
      const column = (value: (signature: NewSignature) => string | number | null | undefined) =>
        arrayLiteral(signatures.map(value))
      const sent = sql`unnest(
        ${column(({ account_id }) => account_id)}::uuid[], ${column(({ position }) => position)}::bigint[],
        ${column(({ signature }) => byteaLiteral(signature))}::bytea[],
        ${column(({ replaces }) => (replaces === null ? null : byteaLiteral(replaces)))}::bytea[],
        ${column(({ follows }) => follows?.position)}::bigint[], ${column(({ follows }) => follows?.hash)}::text[]
      )`
      return writing(
        Effect.asVoid(sql`
          with sent as materialized (
            select * from ${sent} as s (owner, position, signature, replaces, followed, followed_hash)
          ), kept as (
            insert into gatewarden_audit_signature as k (account_id, sealed)
            select owner, signature from sent s
            where followed is null
              or exists (select from gatewarden_audit_seal a where (a.owner, a.position, a.hash) = (s.owner, s.followed, s.followed_hash))
              or exists (
                select from gatewarden_audit_chain c where (c.owner, c.pruned_position, c.pruned_hash) = (s.owner, s.followed, s.followed_hash)
              )
            order by owner
            on conflict (account_id) do update set sealed = excluded.sealed
              where k.sealed = (select replaces from sent where owner = excluded.account_id)
          )
          update gatewarden_audit_chain c set is_signed = true from sent s where (c.owner, c.position) = (s.owner, s.position)`)
      )
    },
    signature: (account_id) =>
      reading(
        Effect.map(
          sql<{
            sealed: Uint8Array
          }>`select sealed from gatewarden_audit_signature where account_id = ${account_id}::uuid`,
          ([row]) => row?.sealed ?? null
        )
      ),
    // One statement, so that nothing is sealed or pruned between its parts, however long the log is.
    verify: (account_id, signed) =>
      unhurried(sql)(
        Effect.map(
          sql<{
            verified: number
            position: bigint | null
            hash: string | null
            removed: bigint | null
            broken: AuditVerdict["broken"] | null
          }>`
            with bounds as (
              select position, hash, pruned_position, pruned_hash from gatewarden_audit_chain where owner = ${account_id}::uuid
            ), chain as (
              select s.position, s.hash, c.seq is null as is_gone,
                coalesce(lag(s.position) over w, (select pruned_position from bounds), 0) as position_before,
                ${sql.literal(linkSql("coalesce(lag(s.hash) over w, (select pruned_hash from bounds), '')", "s.position", digestSql("s", "c")))} as expected
              from gatewarden_audit_seal s left join gatewarden_changes c on c.xact = s.xact and c.seq = s.seq
              where s.owner = ${account_id}::uuid
              window w as (order by s.position)
            ), signed as (
              select ${signed?.position ?? null}::bigint as position, ${signed?.hash ?? null}::text as hash
            ), unsealed as materialized (
              -- Of all accounts, so it reads two indexes and no row: an index by account would cost each change.
              select xact, seq from gatewarden_changes c
              where xact < (select sealed_before from gatewarden_audit_horizon where sealed_before <= pg_snapshot_xmax(pg_current_snapshot()))
                and not exists (select from gatewarden_audit_seal s where s.xact = c.xact and s.seq = c.seq)
            ), broken as (
              select position_before + 1 as position, 'missing' as problem, null as noun, null as action, null as entity from chain where position <> position_before + 1
              union
              select position, case when is_gone then 'missing' else 'edited' end, null, null, null from chain
              where is_gone or position = position_before + 1 and hash is distinct from expected
              union
              select least(last.position + 1, greatest(b.position, last.position)),
                case when last.position < b.position then 'missing' else 'edited' end, null, null, null
              from bounds b left join lateral (select position, hash from chain order by position desc limit 1) sealed on true
              cross join lateral (
                select coalesce(sealed.position, b.pruned_position) as position, coalesce(sealed.hash, b.pruned_hash) as hash
              ) last
              where (last.position, last.hash) <> (b.position, b.hash)
              union
              select max(position) + 1, 'missing', null, null, null from chain having count(*) > 0 and not exists (select from bounds)
              union
              select case when last.position < s.position then last.position + 1 else s.position end,
                  case when last.position < s.position then 'missing' else 'edited' end, null, null, null
                from signed s cross join (
                  select coalesce((select max(position) from chain), (select pruned_position from bounds), 0) as position
                ) last
                where last.position < s.position
                  or exists (select from chain c where c.position = s.position and c.hash <> s.hash)
                  or exists (select from bounds b where b.pruned_position = s.position and b.pruned_hash <> s.hash)
              union all
              select null, 'inserted', c.noun, c.action, c.id from unsealed u join gatewarden_changes c on c.xact = u.xact and c.seq = u.seq
              where ${sql.literal(ownerSql("c"))} = ${account_id}::uuid
              order by 1 limit ${maxBroken}::int
            )
            select (select count(*)::int from chain) as verified, b.position, b.hash, b.pruned_position as removed,
              (select json_agg(json_strip_nulls(row_to_json(broken)) order by position) from broken) as broken
            from (select 1) one left join bounds b on true`,
          ([row]) => ({
            verified: row?.verified ?? 0,
            head:
              row === undefined || row.position === null || row.hash === null
                ? null
                : { position: Number(row.position), hash: row.hash },
            removed: Number(row?.removed ?? 0),
            broken: row?.broken ?? []
          })
        )
      ).pipe(reading)
  })
)
