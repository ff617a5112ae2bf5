import {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  metrics,
  printSource,
  sourceOf
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { analyticsStatement, hasSums } from "../statements/analyticsStatement.ts"
import type { Columns } from "../statements/rows.ts"
import { reading } from "../statements/statements.ts"

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

export const analyticsReader = Effect.map(AnalyticsSql, (sql) =>
  AnalyticsReader.of({
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
          const summed = planned === undefined ? [] : yield* hasSums(sql, account_id, plan, planned)
          const source = summed.length > 0 ? planned : undefined
          const rows = yield* analyticsStatement(sql, account_id, plan, source)
          const cells = rows.slice(0, plan.limit).map((row) => cellOf(plan, row as Columns))
          const isCut = (rows[0] as Columns | undefined)?.["is_cut"] === true
          return { cells, truncated: isCut || rows.length > plan.limit, source: printSource(source) }
        })
      )
  })
)
