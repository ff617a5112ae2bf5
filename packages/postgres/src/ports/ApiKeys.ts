import {
  type ApiKey,
  ApiKeys,
  type AuthenticatedKey,
  defaultAccountName,
  isLastManagementKey
} from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../engine/arrayLiteral.ts"
import { fixedStatements } from "../engine/FixedStatements.ts"
import { type Listed, readPage } from "./sql/readPage.ts"
import { type Columns, fromRow, nanosOf, usdOf } from "./sql/rows.ts"
import type { KeptCount } from "./StoredAmounts.ts"
import { reading, retrying, unlessMissing, whenTaken, writing } from "../engine/statements.ts"
import { updateRow } from "./sql/updateRow.ts"

export const keyColumns = ({ limit, ...key }: ApiKey): Columns => ({ ...key, limit_nanos: nanosOf(limit) })

export const keyOf = <K extends ApiKey>({ limit_nanos, ...columns }: Columns): K =>
  fromRow<K>({ ...columns, limit: usdOf(limit_nanos) })

export const apiKeys = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { write }]) =>
  ApiKeys.of({
    authenticate: (hash) =>
      reading(
        Effect.map(
          sql`
            select k.*, w.id as default_workspace_id, a.name = ${defaultAccountName} as is_operator,
              a.suspended_at is not null as is_suspended,
              k.hash is null and exists (select from gatewarden_deleted_key where hash = asked.hash) as is_deleted
            from (values (${hash}::text)) as asked (hash)
            left join gatewarden_api_key k on k.hash = asked.hash
            left join gatewarden_account a on a.id = k.account_id
            left join gatewarden_workspace w on w.id = a.default_workspace_id`,
          ([row]) => {
            const { is_deleted, ...key } = row ?? {}
            if (key["hash"] == null) return is_deleted === true ? "deleted" : "unknown"
            return keyOf<AuthenticatedKey>(key)
          }
        )
      ),
    insert: (key) =>
      writing(
        unlessMissing(
          whenTaken(Effect.as(sql`insert into gatewarden_api_key ${sql.insert(keyColumns(key))}`, true), false),
          false
        )
      ),
    // The conditions are written as those of partial indexes; a key with a workspace is a normal one.
    list: (account_id, { kind, workspace_id, hashes, disabled }, page) => {
      const meant = sql.and([
        sql`account_id = ${account_id}`,
        ...(workspace_id === undefined ? [] : [sql`workspace_id = ${workspace_id}`]),
        ...(kind === "management" ? [sql`kind = 'management'`] : []),
        ...(kind === "normal" && workspace_id === undefined ? [sql`kind = 'normal'`] : []),
        ...(hashes === undefined ? [] : [sql`hash = any(${arrayLiteral(hashes)}::text[])`]),
        ...(disabled === undefined ? [] : [disabled ? sql`disabled` : sql`not disabled`])
      ])
      if (page === undefined)
        return reading(
          Effect.map(sql`select * from gatewarden_api_key where ${meant} order by created_at, hash`, (found) =>
            found.map(keyOf<ApiKey>)
          )
        )
      const kept: KeptCount | undefined =
        workspace_id === undefined || hashes !== undefined || disabled === true
          ? undefined
          : { account_id, kind: disabled === false ? "enabled_key" : "key", owner: workspace_id }
      const listed: Listed = { table: "gatewarden_api_key", id: "hash", where: meant, kept }
      return reading(Effect.map(readPage(sql, listed, page, keyOf<ApiKey>), ({ data }) => data))
    },
    update: (account_id, hash, { limit, ...change }, now) => {
      const columns = { ...change, ...(limit === undefined ? {} : { limit_nanos: nanosOf(limit) }) }
      return Effect.map(
        Object.keys(columns).length === 0
          ? reading(
              sql<Columns>`
                select * from gatewarden_api_key
                where account_id = ${account_id} and hash = ${hash} and kind = 'normal'`
            )
          : writing(updateRow(write, "gatewarden_api_key", { account_id, hash, kind: "normal" }, columns, now)),
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), keyOf<ApiKey>)
      )
    },
    retire: (account_id, hash, { now, at, successor, force }) =>
      writing(
        Effect.gen(function* () {
          // Of two that would retire the last two keys one waits, and then sees what the other did.
          yield* sql`select id from gatewarden_account where id = ${account_id} for no key update`
          const rows = yield* sql`
            select * from gatewarden_api_key where account_id = ${account_id} and (hash = ${hash} or kind = 'management')`
          const keys = rows.map(keyOf<ApiKey>)
          const key = keys.find((candidate) => candidate.hash === hash)
          if (key === undefined) return "absent"
          if (successor === undefined && !force && isLastManagementKey(key, keys, now)) return "last"
          yield* sql`
            update gatewarden_api_key set expires_at = least(expires_at, ${at}::timestamptz), updated_at = ${now},
              revoked_at = case when expires_at <= ${at}::timestamptz then revoked_at else ${at}::timestamptz end
            where account_id = ${account_id} and hash = ${hash}`
          if (successor !== undefined) yield* sql`insert into gatewarden_api_key ${sql.insert(keyColumns(successor))}`
          return "retired"
        }).pipe(sql.withTransaction)
      ),
    remove: (account_id, hash) =>
      writing(
        Effect.map(
          sql`delete from gatewarden_api_key where account_id = ${account_id} and hash = ${hash} returning hash`.pipe(
            retrying
          ),
          (rows) => rows.length > 0
        )
      )
  })
)
