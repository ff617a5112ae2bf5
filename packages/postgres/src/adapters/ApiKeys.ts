import {
  ApiKeys,
  type AuthenticatedKey,
  defaultAccountName,
  endlessOverlap,
  isLastManagementKey,
  mostFormerSecrets,
  mostKnownSecrets
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts, type Write } from "../statements/acting.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { lockKeyOwner } from "../statements/lockWorkspace.ts"
import { apiKeyOf, keyColumns, keyOf, keyOfSecret, secretsOfKey } from "../statements/keyRows.ts"
import { lastingManagementKeys } from "../statements/reconcileDirectory.ts"
import { type Listed, readPage } from "../statements/readPage.ts"
import { type Columns, inJson, instantOf, nanosOf } from "../statements/rows.ts"
import {
  askedInstant,
  instantIn,
  reading,
  retrying,
  unlessMissing,
  whenTaken,
  writing
} from "../statements/statements.ts"
import { updateRow } from "../statements/updateRow.ts"
import type { KeptCount } from "../statements/keptCount.ts"

/** No key has the hash of another key's secret, or a user who may not act. A key that is kept registers its external user. */
const insertFree: Write = {
  word: "with",
  rest: ` made as materialized (select * from json_populate_record(null::gatewarden_api_key, $1::json)),
  owner as materialized (select gatewarden_lock_owner(account_id, user_id) as is_inactive from made),
  kept as (
    insert into gatewarden_api_key select made.* from made
    where not exists (select from gatewarden_key_secret s where s.secret_hash = made.hash)
      and not exists (select from owner where is_inactive)
    returning hash
  ),
  registered as (
    insert into gatewarden_external_user
    select given.* from json_populate_record(null::gatewarden_external_user, $2::json) given
    where given.id is not null and exists (select from kept)
    on conflict (account_id, external_user) do nothing
  )
  select hash from kept`
}

export const apiKeys = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { write }]) =>
  ApiKeys.of({
    authenticate: (hash) =>
      Effect.flatMap(
        askedInstant,
        (now) => sql`
            select k.*, w.id as default_workspace_id, a.name = ${defaultAccountName} as is_operator,
              a.suspended_at is not null as is_suspended, ${sql.literal(secretsOfKey("k.hash", "asked.at"))} as secrets,
              k.hash is null and exists (select from gatewarden_deleted_key where hash = asked.hash) as is_deleted
            from (values (${hash}::text, ${now}::timestamptz)) as asked (hash, at)
            left join gatewarden_api_key k on k.hash = ${sql.literal(keyOfSecret("asked.hash"))}
            left join gatewarden_account a on a.id = k.account_id
            left join gatewarden_workspace w on w.id = a.default_workspace_id`
      ).pipe(
        Effect.map(([row]) => {
          const { is_deleted, ...key } = row ?? {}
          if (key["hash"] == null) return is_deleted === true ? "deleted" : "unknown"
          return keyOf<AuthenticatedKey>(key)
        }),
        reading
      ),
    insert: (key, registration) =>
      writing(
        unlessMissing(
          whenTaken(
            Effect.map(
              write(insertFree, [
                inJson({ ...keyColumns(key), restrictions: key.restrictions }),
                inJson({ ...registration, account_id: key.account_id })
              ]),
              (rows) => rows.length > 0
            ),
            false
          ),
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
            found.map(apiKeyOf)
          )
        )
      const kept: KeptCount | undefined =
        workspace_id === undefined || hashes !== undefined || disabled === true
          ? undefined
          : { account_id, kind: disabled === false ? "enabled_key" : "key", owner: workspace_id }
      const listed: Listed = { table: "gatewarden_api_key", id: "hash", where: meant, kept }
      return reading(Effect.map(readPage(sql, listed, page, apiKeyOf), ({ data }) => data))
    },
    listManagement: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_api_key",
            id: "hash",
            where: sql`account_id = ${account_id} and kind = 'management'`,
            kept: "counts each"
          },
          page,
          apiKeyOf
        )
      ),
    update: (account_id, hash, { limit, ...change }, now) => {
      const columns = { ...change, ...(limit === undefined ? {} : { limit_nanos: nanosOf(limit) }) }
      const changed = updateRow(write, "gatewarden_api_key", { account_id, hash, kind: "normal" }, columns, now)
      if (change.disabled === false)
        return Effect.gen(function* () {
          // The user is held before the key, as by the directory.
          const [owner] = yield* sql`
            select gatewarden_lock_owner(account_id, user_id) as is_inactive from gatewarden_api_key
            where account_id = ${account_id} and hash = ${hash}`
          const rows = owner?.["is_inactive"] === true ? [] : yield* changed
          return Option.map(Option.fromUndefinedOr(rows[0]), apiKeyOf)
        }).pipe(sql.withTransaction, retrying, writing)
      return Effect.map(
        Object.keys(columns).length === 0
          ? reading(
              sql<Columns>`
                select * from gatewarden_api_key
                where account_id = ${account_id} and hash = ${hash} and kind = 'normal'`
            )
          : writing(changed),
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), apiKeyOf)
      )
    },
    retire: (account_id, hash, { now, at, successor, force }) =>
      writing(
        Effect.gen(function* () {
          // Of two that would retire the last two keys one waits, and then sees what the other did.
          yield* sql`select id from gatewarden_account where id = ${account_id} for no key update`
          const [row] = yield* sql`
            select * from gatewarden_api_key where account_id = ${account_id} and hash = ${hash}`
          if (row === undefined) return "absent"
          const key = apiKeyOf(row)
          const [owner] = successor === undefined ? [] : yield* lockKeyOwner(sql, account_id, successor.user_id)
          if (owner?.["is_inactive"] === true) return "deprovisioned"
          if (successor === undefined && !force) {
            const others = yield* lastingManagementKeys(sql, account_id, sql`hash <> ${hash}`, now)
            if (isLastManagementKey(key, [key, ...others], now)) return "last"
          }
          yield* sql`
            ${acts.update} gatewarden_api_key set expires_at = least(expires_at, ${at}::timestamptz), updated_at = ${now},
              revoked_at = case when expires_at <= ${at}::timestamptz then revoked_at else ${at}::timestamptz end
            where account_id = ${account_id} and hash = ${hash}`
          if (successor !== undefined)
            yield* sql`${acts.insert} into gatewarden_api_key ${sql.insert(keyColumns(successor))}`
          return "retired"
        }).pipe(sql.withTransaction)
      ),
    rotate: (account_id, hash, { secret_hash, label, now, overlap_millis }) =>
      writing(
        Effect.gen(function* () {
          const at = yield* instantIn(sql)
          // Of two rotations at once one waits, and then sees the secret of the other.
          const [locked] = yield* sql`
            select ${at} + ${overlap_millis}::float8 * interval '1 millisecond' as overlap_ends_at from gatewarden_api_key
            where account_id = ${account_id} and hash = ${hash} and kind = 'normal' for no key update`
          if (locked === undefined) return Option.none()
          const overlap_ends_at = instantOf(locked["overlap_ends_at"])
          const former_ends_at = sql`coalesce(${at} + ${overlap_millis}::float8 * interval '1 millisecond', ${endlessOverlap}::timestamptz)`
          const [newest] = yield* sql<{ number: number }>`
            select number from gatewarden_key_secret where key_hash = ${hash} order by number desc limit 1`
          // A key that was never rotated has no rows; its first secret gets the number 0.
          const number = (newest?.number ?? 0) + 1
          if (newest === undefined)
            yield* sql`
              insert into gatewarden_key_secret (secret_hash, key_hash, account_id, number, ends_at)
              values (${hash}, ${hash}, ${account_id}, 0, ${former_ends_at})`
          else
            yield* sql`
              update gatewarden_key_secret
              set ends_at = least(ends_at, case when number < ${number - mostFormerSecrets} then ${at} else ${former_ends_at} end)
              where key_hash = ${hash} and (ends_at is null or ends_at > ${at})`
          yield* sql`
            delete from gatewarden_key_secret where key_hash = ${hash} and number <= ${number - mostKnownSecrets}`
          yield* sql`
            insert into gatewarden_key_secret (secret_hash, key_hash, account_id, number, ends_at)
            values (${secret_hash}, ${hash}, ${account_id}, ${number}, null)`
          const [row] = yield* sql<Columns>`
            ${acts.update} gatewarden_api_key set label = ${label}, updated_at = ${now} where hash = ${hash} returning *`
          return Option.map(Option.fromUndefinedOr(row), (row) => ({ record: apiKeyOf(row), overlap_ends_at }))
        }).pipe(sql.withTransaction, retrying)
      ),
    remove: (account_id, hash) =>
      writing(
        Effect.map(
          sql`${acts.delete} from gatewarden_api_key where account_id = ${account_id} and hash = ${hash} returning hash`.pipe(
            retrying
          ),
          (rows) => rows.length > 0
        )
      )
  })
)
