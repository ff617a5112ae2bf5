import { KeyUsageReader, startOfBucket } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import type { Columns } from "./rows.ts"
import { reading } from "./statements.ts"

const granularities = ["day", "week", "month"] as const

/** Sums come as decimal strings, since they know no bound. */
const spendingOf = (row: Columns, prefix: string) => {
  const sum = (window: string) => BigInt(String(row[`${prefix}_${window}`]))
  return { total: sum("total"), day: sum("day"), week: sum("week"), month: sum("month") }
}

export const keyUsageReader = Effect.map(SqlClient.SqlClient, (sql) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) => {
      const sums = [
        ["credits", "cost_nanos"],
        ["byok", "byok_cost_nanos"]
      ].flatMap(([prefix = "", column = ""]) => [
        sql`coalesce(sum(${sql(column)}), 0)::text as ${sql(`${prefix}_total`)}`,
        ...granularities.map((granularity) => {
          const start = new Date(startOfBucket(granularity, now)).toISOString()
          return sql`coalesce(sum(${sql(column)}) filter (where created_at >= ${start}), 0)::text as ${sql(`${prefix}_${granularity}`)}`
        })
      ])
      return reading(
        Effect.map(
          sql`
            select api_key_hash, ${sql.csv(sums)} from gatewarden_usage_event
            where account_id = ${account_id} and api_key_hash = any(${arrayLiteral(key_hashes)}::text[])
            group by api_key_hash`,
          (rows) =>
            new Map(
              rows.map((row) => [
                String(row["api_key_hash"]),
                { credits: spendingOf(row, "credits"), byok: spendingOf(row, "byok") }
              ])
            )
        )
      )
    }
  })
)
