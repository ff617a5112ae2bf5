import { intervalUnits } from "@gatewarden/contract"
import { KeyUsageReader, spendingOf, windowDays } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { usageDays } from "../ledger/keptSums.ts"
import type { Columns } from "./sql/rows.ts"
import { reading } from "../engine/statements.ts"

/** Sums come as decimal strings, since they know no bound. */
const spent = (row: Columns, prefix: string) => spendingOf((window) => BigInt(String(row[`${prefix}_${window}`])))

/** From kept sums by day: days, weeks and months begin at midnight. A key costs a few rows, however often it was used. */
export const keyUsageReader = Effect.map(SqlClient.SqlClient, (sql) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) => {
      const sums = [
        ["credits", "nanos"],
        ["byok", "byok_nanos"]
      ].flatMap(([prefix = "", column = ""]) => [
        sql`sum(${sql(column)})::text as ${sql(`${prefix}_total`)}`,
        ...intervalUnits.map((granularity) => {
          const { first, end } = windowDays(granularity, now)
          return sql`coalesce(sum(${sql(column)}) filter (where day >= ${first}::date and day < ${end}::date), 0)::text
            as ${sql(`${prefix}_${granularity}`)}`
        })
      ])
      return reading(
        Effect.map(
          sql`
            select entity, ${sql.csv(sums)} from (${usageDays(sql, account_id, "key", key_hashes)}) used
            group by entity`,
          (rows) =>
            new Map(
              rows.map((row) => [String(row["entity"]), { credits: spent(row, "credits"), byok: spent(row, "byok") }])
            )
        )
      )
    }
  })
)
