import { AuthorizationCodes, type CodeGrant, type KeptGrant, asServer } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { appNumber } from "../statements/appNumber.ts"
import { lockKeyOwner } from "../statements/lockWorkspace.ts"
import { type Columns, fromRow, nanosOf, usdOf } from "../statements/rows.ts"
import { instantIn, reading, writing } from "../statements/statements.ts"
import { keyColumns } from "../statements/keyRows.ts"

const columnsOf = ({ limit, ...grant }: CodeGrant) => ({ ...grant, limit_nanos: nanosOf(limit) })

const grantOf = ({ limit_nanos, app_id: _, ...columns }: Columns): KeptGrant =>
  fromRow<KeptGrant>({ ...columns, limit: usdOf(limit_nanos) })

export const authorizationCodes = Effect.map(SqlClient.SqlClient, (sql) => {
  const clock = instantIn(sql)

  /**
   * Dead codes go a few at a time, so that no request pays for a day's worth; those that another request holds are its own. They may be
   * of any account, whose log names nobody of another one.
   */
  const sweep = asServer(
    "authorization_codes",
    writing(
      Effect.flatMap(
        clock,
        (now) => sql`
          ${acts.delete} from gatewarden_authorization_code where code_hash = any(array(
            select code_hash from gatewarden_authorization_code
            where spent_at is null and expires_at <= ${now} order by expires_at limit 16 for update skip locked))`
      )
    )
  )

  const insert = (grant: CodeGrant, lifetimeMillis: number) =>
    Effect.gen(function* () {
      const now = yield* clock
      // The workspace is locked before any code, as its deletion does, so that the two cannot wait for each other.
      const places = yield* sql`
        select id from gatewarden_workspace
        where id = ${grant.workspace_id} and account_id = ${grant.account_id} for key share`
      if (places.length === 0) return "missing" as const
      const app_id = yield* appNumber(sql, grant.account_id, grant.callback_origin)
      const columns = Object.entries({
        ...columnsOf(grant),
        app_id,
        // A code that lives longer than its key could be exchanged for an expired key.
        expires_at: sql`least(${grant.key_expires_at}::timestamptz, ${now} + ${lifetimeMillis}::int * interval '1 millisecond')`
      })
      const names = sql.csv(columns.map(([name]) => sql`${sql(name)}`))
      const values = sql.csv(columns.map(([, value]) => sql`${value}`))
      const renewed = sql.csv(columns.map(([name]) => sql`${sql(name)} = excluded.${sql(name)}`))
      // Liveness is judged on the row that is met, so of any number of requests at once one gets through.
      const kept = yield* sql`
        ${acts.insert} into gatewarden_authorization_code as met (${names}) values (${values})
        on conflict (account_id, app_id, challenge_hash) where spent_at is null do update
          set ${renewed} where met.expires_at <= ${now}
        returning app_id`
      return kept.length > 0 ? { app_id } : ("taken" as const)
    })

  return AuthorizationCodes.of({
    insert: (grant, lifetimeMillis) =>
      Effect.andThen(sweep, writing(sql.withTransaction(insert(grant, lifetimeMillis)))),
    find: (code_hash) =>
      Effect.flatMap(
        clock,
        (now) => sql`select *, ${now} as found_at from gatewarden_authorization_code where code_hash = ${code_hash}`
      ).pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), grantOf)),
        reading
      ),
    spend: Effect.fnUntraced(function* (code_hash, key) {
      const now = yield* clock
      const columns = Object.entries(keyColumns(key))
      const names = sql.csv(columns.map(([name]) => sql`${sql(name)}`))
      const values = sql.csv(columns.map(([, value]) => sql`${value}`))
      return yield* writing(
        Effect.map(
          // One statement: whoever comes second waits for the row and then finds it spent. The workspace is locked first, as above.
          sql`
            ${acts.with} owner as materialized (${lockKeyOwner(sql, key.account_id, key.user_id)}), place as (
              select w.id from gatewarden_authorization_code c
              join gatewarden_workspace w on w.id = c.workspace_id and w.account_id = c.account_id
              join gatewarden_account a on a.id = c.account_id and a.suspended_at is null
              where c.code_hash = ${code_hash} for key share of w
            ), spent as (
              update gatewarden_authorization_code c set spent_at = ${now}, key_hash = ${key.hash}
              from place
              where c.code_hash = ${code_hash} and c.spent_at is null and c.expires_at > ${now}
                and not exists (select from owner where is_inactive)
              returning c.code_hash
            )
            insert into gatewarden_api_key (${names}) select ${values} from spent returning hash`,
          (rows) => rows.length > 0
        )
      )
    }),
    burn: (code_hash) =>
      writing(
        Effect.asVoid(
          sql`${acts.delete} from gatewarden_authorization_code where code_hash = ${code_hash} and spent_at is null`
        )
      )
  })
})
