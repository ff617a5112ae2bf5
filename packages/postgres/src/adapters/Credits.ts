import type { CreditGrant } from "@gatewarden/contract"
import { Credits, creditGrant, formatUsd } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, timestampOf } from "../statements/rows.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const grantOf = (row: Columns): CreditGrant => ({
  id: row["id"] as string,
  amount_usd: formatUsd(row["amount_nanos"] as bigint),
  total_usd: formatUsd(row["total_nanos"] as bigint),
  note: row["note"] as string,
  created_at: timestampOf(row["created_at"])
})

/** Each entry has the total after it, so that the latest one is all that a reader needs. */
export const credits = Effect.map(SqlClient.SqlClient, (sql) =>
  Credits.of({
    append: (account_id, draft) =>
      writing(
        Effect.gen(function* () {
          // Of two at once one waits, and then sees the total of the other.
          const locked = yield* sql`select id from gatewarden_account where id = ${account_id} for no key update`
          if (locked.length === 0) return "missing"
          const [latest] = yield* sql<{ number: number; total_nanos: bigint }>`
            select number, total_nanos from gatewarden_credit_grant where account_id = ${account_id}
            order by number desc limit 1`
          const made = creditGrant(draft, latest?.total_nanos ?? 0n)
          if (made === undefined) return "out_of_range"
          yield* sql`${acts.insert} into gatewarden_credit_grant ${sql.insert({
            ...draft,
            account_id,
            number: (latest?.number ?? 0) + 1,
            total_nanos: made.total_nanos
          })}`
          return made.grant
        }).pipe(sql.withTransaction, retrying)
      ),
    // An event belongs to one workspace, so the sums of workspaces are those of the account.
    totals: (account_id) =>
      reading(
        Effect.map(
          sql<{ granted: string; spent: string }>`
            select coalesce((select total_nanos from gatewarden_credit_grant where account_id = ${account_id}
                order by number desc limit 1), 0)::text as granted,
              (select coalesce(sum(charged_nanos), 0) from gatewarden_spent
                where account_id = ${account_id}::uuid and spender = 'workspace')::text as spent`,
          ([row]) => ({ granted_nanos: BigInt(row?.granted ?? 0), spent_nanos: BigInt(row?.spent ?? 0) })
        )
      ),
    list: (account_id, { offset, limit }) =>
      reading(
        Effect.map(
          sql`
            select id, amount_nanos, total_nanos, note, created_at from gatewarden_credit_grant
            where account_id = ${account_id} order by number desc limit ${limit} offset ${offset}`,
          (rows) => rows.map(grantOf)
        )
      )
  })
)
