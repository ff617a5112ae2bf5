import {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type RollupSource,
  metrics,
  printSource,
  sourceOf
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { type SummedSource, analyticsStatement, summedSource } from "../statements/analyticsStatement.ts"
import type { Columns } from "../statements/rows.ts"
import { reading, whetherEnclosed } from "../statements/statements.ts"

const cellOf = (plan: AnalyticsPlan, row: Columns): AnalyticsCell => ({
  time: row["time"] instanceof Date ? row["time"].getTime() : null,
  keys: plan.keys.map((_, index) => {
    const value = row[`k${index}`]
    return typeof value === "string" ? value : null
  }),
  measures: plan.measures.map((name, index) => {
    const value = row[`m${index}`]
    if (value === null || value === undefined) return null
    // Sums come as text, counts as bigints.
    return metrics[name].unit === "number" ? Number(value) : BigInt(String(value))
  })
})

export const analyticsReader = Effect.map(AnalyticsSql, (sql) => {
  const answer = (account_id: string, plan: AnalyticsPlan, source: SummedSource | undefined) =>
    Effect.map(analyticsStatement(sql, account_id, plan, source), (rows) => ({
      cells: rows.slice(0, plan.limit).map((row) => cellOf(plan, row as Columns)),
      truncated: (rows[0] as Columns | undefined)?.["is_cut"] === true || rows.length > plan.limit,
      source: printSource(source)
    }))

  /** What has sums, and the sums, are of one moment. */
  const summed = (account_id: string, plan: AnalyticsPlan, planned: RollupSource) =>
    Effect.flatMap(summedSource(sql, account_id, plan, planned), (source) => answer(account_id, plan, source)).pipe(
      sql.withTransaction,
      Effect.provideService(SqlClient.BeginTransaction, "begin isolation level repeatable read read only")
    )

  return AnalyticsReader.of({
    read: (account_id, plan) =>
      reading(
        Effect.gen(function* () {
          if (plan.classifier_id !== null) {
            const known = yield* sql`
              select 1 from gatewarden_usage_classifier
              where account_id = ${account_id} and classifier_id = ${plan.classifier_id}`
            if (known.length === 0) return "unknown_classifier" as const
          }
          const planned = sourceOf(plan)
          // A transaction of the host is of many moments.
          return yield* planned === undefined
            ? answer(account_id, plan, undefined)
            : whetherEnclosed(() => answer(account_id, plan, undefined), summed(account_id, plan, planned))
        })
      )
  })
})
