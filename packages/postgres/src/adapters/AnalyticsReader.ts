import type { DimensionName, MetricName, OperatorName } from "@gatewarden/contract/internal"
import {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type Granularity,
  type Key,
  type MetricFilter,
  type OrderTerm,
  type Total,
  dimensions,
  formatDecimal,
  metrics
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { arrayLiteral } from "../statements/literals.ts"
import type { Columns } from "../statements/rows.ts"
import { reading } from "../statements/statements.ts"

/** Starts of buckets, in UTC whatever the session's zone. */
const buckets: Readonly<Record<Granularity, string>> = {
  minute: "date_bin('1 minute', e.created_at, 'epoch')",
  hour: "date_bin('1 hour', e.created_at, 'epoch')",
  day: "date_bin('1 day', e.created_at, '1970-01-01T00:00:00Z')",
  week: "date_bin('7 days', e.created_at, '1970-01-05T00:00:00Z')",
  month: "date_trunc('month', e.created_at, 'UTC')"
}

const comparisons: Readonly<Record<OperatorName, string>> = {
  eq: "=",
  neq: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  in: "= any",
  not_in: "<> all"
}

const measured = "filter (where e.status = 'ok')"

/** An exact integer. */
const totalSql = (total: Total): string => {
  if ("count" in total)
    return total.count === "events"
      ? "count(*) filter (where e.adjusts is null)"
      : `count(*) filter (where e.${total.count})`
  if ("component" in total) return `sum(e.${total.component}_nanos)`
  return `coalesce(sum(${total.sum.map((field) => `e.${field}`).join(" + ")}), 0)`
}

const measureSql = (name: MetricName): string => {
  const metric = metrics[name]
  if ("total" in metric) return totalSql(metric.total)
  if ("whole" in metric) return `${totalSql(metric.part)}::float8 / nullif(${totalSql(metric.whole)}, 0)::float8`
  if ("mean" in metric) return `avg(e.${metric.mean}) ${measured}`
  return `percentile_disc(${metric.percentile / 100}) within group (order by e.${metric.of}) ${measured}`
}

/** What an adjustment adds is shown where its request is. */
const columnOf = (dimension: DimensionName): string =>
  dimension === "generation_id" ? "coalesce(e.adjusts, e.id)" : `e.${dimensions[dimension]}`

type Fragment = Statement.Fragment

/**
 * One statement for a plan. What is written into it as text comes from the tables of the core; what was sent is a parameter.
 * Columns are named by position: `time`, `k0`, `k1`, …, `m0`, `m1`, ….
 */
const statementOf = (sql: SqlClient.SqlClient, account_id: string, plan: AnalyticsPlan) => {
  const text = sql.literal
  const tags = sql`(e.classifiers -> ${plan.classifier_id}::text)`
  const tagOf = (name: string) => sql`(${tags} ->> ${name}::text)`

  const keySql = (key: Key): Fragment => {
    switch (key.kind) {
      case "dimension":
        return text(`${columnOf(key.dimension)}::text`)
      case "tag":
        return tagOf(key.tag)
      case "tag_name":
        return text("tag.name")
      case "tag_value":
        return text("tag.value")
    }
  }

  const pairs = plan.keys.find((key) => key.kind === "tag_name")
  const from =
    pairs === undefined
      ? sql`gatewarden_usage_event e`
      : sql`gatewarden_usage_event e ${text(pairs.include_nulls ? "left join" : "join")}
          lateral jsonb_each_text(${tags}) as tag (name, value) on true`

  /** A missing value passes no operator; `<> all` of nothing would let it. */
  const textPasses = (value: Fragment, operator: OperatorName, values: readonly string[]) =>
    operator === "in" || operator === "not_in"
      ? sql`(${value} is not null and ${value} ${text(comparisons[operator])} (${arrayLiteral(values)}::text[]))`
      : sql`${value} ${text(comparisons[operator])} ${values[0] ?? ""}::text`

  const conditions = [
    sql`e.account_id = ${account_id}`,
    sql`e.created_at >= ${new Date(plan.start)}`,
    sql`e.created_at < ${new Date(plan.end)}`,
    ...plan.filters.map(({ dimension, operator, values, include_unset }) => {
      const field = text(dimension === "workspace" ? '(e.workspace_id::text collate "C")' : columnOf(dimension))
      const passes = textPasses(field, operator, values)
      return include_unset ? sql`(${field} is null or ${passes})` : passes
    }),
    ...plan.tagFilters.map(({ tag, operator, values }) => textPasses(tagOf(tag), operator, values)),
    ...plan.keys.flatMap((key) =>
      key.kind === "tag" && !key.include_nulls ? [sql`${tagOf(key.tag)} is not null`] : []
    )
  ]

  const rowPasses = ({ measure, operator, values }: MetricFilter): Fragment => {
    const name = plan.measures[measure] ?? "request_count"
    const isExact = metrics[name].unit !== "number"
    const type = text(isExact ? "numeric" : "float8")
    const sent = values.map(({ exact, number }) => (isExact ? formatDecimal(exact) : String(number)))
    const value = text(measureSql(name))
    return operator === "in" || operator === "not_in"
      ? sql`(${value} is not null and ${value} ${text(comparisons[operator])} (${arrayLiteral(sent)}::${type}[]))`
      : sql`${value} ${text(comparisons[operator])} ${sent[0] ?? ""}::${type}`
  }

  const groups = [
    ...(plan.granularity === null ? [] : [sql`${text(buckets[plan.granularity])} as time`]),
    ...plan.keys.map((key, index) => sql`${keySql(key)} collate "C" as ${text(`k${index}`)}`)
  ]
  const selected = [...groups, ...plan.measures.map((name, index) => text(`${measureSql(name)} as m${index}`))]
  const cells = sql`
    select ${sql.csv(selected)} from ${from} where ${sql.and(conditions)}
    ${
      groups.length === 0
        ? text("")
        : sql.csv(
            "group by",
            groups.map((_, index) => text(String(index + 1)))
          )
    }
    ${plan.having.length === 0 ? text("") : sql`having ${sql.and(plan.having.map(rowPasses))}`}`

  const order = text(plan.order.map(orderSql).join(", "))
  const ordered = plan.order.length === 0 ? text("") : sql`order by ${order}`
  // One row more than there may be tells whether there are more.
  const limited = sql`${ordered} limit ${plan.limit + 1}`
  if (plan.group_limit === null) return sql`with cell as (${cells}) select *, false as is_cut from cell ${limited}`
  const keys = text(plan.keys.map((_, index) => `k${index}`).join(", "))
  return sql`
    with cell as (${cells}),
    ranked as (select *, row_number() over (partition by ${keys} ${ordered}) as place from cell)
    select *, (select max(place) > ${plan.group_limit} from ranked) as is_cut
    from ranked where place <= ${plan.group_limit} ${limited}`
}

const orderSql = ({ by, descending }: OrderTerm): string => {
  const column = by.kind === "time" ? "time" : `${by.kind === "key" ? "k" : "m"}${by.index}`
  return `${column} ${descending ? "desc" : "asc"} nulls last`
}

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
          const rows = yield* statementOf(sql, account_id, plan)
          const cells = rows.slice(0, plan.limit).map((row) => cellOf(plan, row as Columns))
          const isCut = (rows[0] as Columns | undefined)?.["is_cut"] === true
          return { cells, truncated: isCut || rows.length > plan.limit }
        })
      )
  })
)
