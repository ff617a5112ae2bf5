/**
 * The statement of a plan of analytics. What is written into it as text comes from the tables of the core; what was sent is a parameter.
 *
 * A plan is read from events, or from cells of a roll-up and the events beside them (`sourceOf`): both give the same rows. Columns are named by
 * position: `time`, `k0`, `k1`, …, `m0`, `m1`, ….
 */
import type { DimensionName, MetricName, OperatorName } from "@gatewarden/contract/internal"
import {
  type AnalyticsPlan,
  type EventMeasure,
  type Granularity,
  type Key,
  type MetricFilter,
  type OrderTerm,
  type Range,
  type RollupSource,
  type Total,
  dimensions,
  divideByDays,
  formatDecimal,
  metrics
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { arrayLiteral } from "./literals.ts"

type Fragment = Statement.Fragment

/** Starts of buckets, in UTC whatever the session's zone. */
const buckets: Readonly<Record<Granularity, (instant: string) => string>> = {
  minute: (instant) => `date_bin('1 minute', ${instant}, 'epoch')`,
  hour: (instant) => `date_bin('1 hour', ${instant}, 'epoch')`,
  day: (instant) => `date_bin('1 day', ${instant}, '1970-01-01T00:00:00Z')`,
  week: (instant) => `date_bin('7 days', ${instant}, '1970-01-05T00:00:00Z')`,
  month: (instant) => `date_trunc('month', ${instant}, 'UTC')`
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

/** An exact integer, over events. */
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

/** The columns of cells that a total sums. */
const columnsOfTotal = (total: Total): readonly string[] => {
  if ("count" in total) return [total.count === "events" ? "request_count" : total.count]
  return "component" in total ? [`${total.component}_nanos`] : total.sum
}

const columnsOf = (name: MetricName): readonly string[] => {
  const metric = metrics[name]
  if ("total" in metric) return columnsOfTotal(metric.total)
  if ("whole" in metric) return [...columnsOfTotal(metric.part), ...columnsOfTotal(metric.whole)]
  return "mean" in metric ? [`${metric.mean}_sum`, `${metric.mean}_count`] : []
}

/** What one event adds to a column of its cells. */
const columnOfEvent = (column: string): string => {
  if (column === "request_count") return "(e.adjusts is null)::int::numeric"
  const measure = /^(latency_ms|throughput)_(sum|count)$/.exec(column)
  if (measure === null)
    return ["byok", "guardrail_invoked", "response_cached"].includes(column)
      ? `e.${column}::int::numeric`
      : `e.${column}::numeric`
  const value = `case when e.status = 'ok' then e.${measure[1]} end`
  return measure[2] === "sum" ? `(${value})::numeric` : `((${value}) is not null)::int::numeric`
}

const totalOfCells = (total: Total): string => {
  const sums = columnsOfTotal(total).map((column) => `sum(s.${column})`)
  return "component" in total ? sums.join("") : sums.map((sum) => `coalesce(${sum}, 0)`).join(" + ")
}

/** The same as `measureSql`, over rows of cells; percentiles are joined. */
const measureOfCells = (name: MetricName): string => {
  const metric = metrics[name]
  if ("total" in metric) return totalOfCells(metric.total)
  if ("whole" in metric)
    return `(${totalOfCells(metric.part)})::float8 / nullif(${totalOfCells(metric.whole)}, 0)::float8`
  return "mean" in metric
    ? `(sum(s.${metric.mean}_sum) / nullif(sum(s.${metric.mean}_count), 0))::float8`
    : "null::float8"
}

/** What the number of a set of cells has more if it is by hour. */
const hourly = 128

/** The part of a source that sums have, and the events beside it. Made in the snapshot in which the statement runs, since sums come and go. */
export interface SummedSource {
  readonly rollup: RollupSource["rollup"]
  readonly days: readonly Range[]
  readonly hours: readonly Range[]
  readonly events: readonly Range[]
  /** Instants of the events that wait to be summed; undefined: there are none. */
  readonly waiting: Range | undefined
}

/** So many wait that reading all events takes no longer. */
const mostWaiting = 20_000

/** Where sums and events alternate so often, the events are read. */
const mostRanges = 60

interface SetsRow {
  readonly day: string
  readonly by_day: boolean
  readonly by_hour: boolean
}

interface WaitingRow {
  readonly count: number
  /** Of the whole range: none were dropped. */
  readonly has_events: boolean
  readonly first: Date | null
  readonly last: Date | null
}

/** What is read of a roll-up; undefined if all is read of events. Run it in the snapshot of the statement. */
export const summedSource = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  plan: AnalyticsPlan,
  { rollup, days, hours, events }: RollupSource
) {
  const { bits } = rollup
  const sets = yield* sql<SetsRow>`
    select day::text as day, ${bits}::smallint = any (kept) as by_day, ${bits + hourly}::smallint = any (kept) as by_hour
    from gatewarden_usage_day
    where account_id = ${account_id} and day >= (${new Date(plan.start)} at time zone 'UTC')::date
      and day <= (${new Date(plan.end)} at time zone 'UTC')::date
      and kept && array[${bits}::smallint, ${bits + hourly}::smallint]
    order by day`
  if (sets.length === 0) return undefined
  const [waiting] = yield* sql<WaitingRow>`
    select count(*)::int as count, min(created_at) as first, max(created_at) as last,
      ${new Date(plan.start)} >= gatewarden_usage_horizon() as has_events
    from (
      select created_at from gatewarden_usage_unfolded where account_id = ${account_id} limit ${mostWaiting + 1}
    ) as first_ones`
  // Of days that were dropped there is nothing but sums, whatever reading them costs.
  const mayReadEvents = waiting?.has_events !== false
  if (waiting === undefined || (mayReadEvents && waiting.count > mostWaiting)) return undefined
  const of = (has: (row: SetsRow) => boolean) => sets.filter(has).map(({ day }) => Date.parse(day))
  const whole = divideByDays(
    days,
    of(({ by_day }) => by_day)
  )
  const parts = divideByDays(
    hours,
    of(({ by_hour }) => by_hour)
  )
  const source: SummedSource = {
    rollup,
    days: whole.within,
    hours: parts.within,
    events: [...events, ...whole.others, ...parts.others].sort((one, other) => one.start - other.start),
    waiting:
      waiting.first === null || waiting.last === null
        ? undefined
        : waiting.count > mostWaiting
          ? { start: plan.start, end: plan.end }
          : { start: waiting.first.getTime(), end: waiting.last.getTime() + 1 }
  }
  const count = source.days.length + source.hours.length
  return count === 0 || (mayReadEvents && count + source.events.length > mostRanges) ? undefined : source
})

/** Values of a group up to which its percentile is exact. */
const exactValues = 1_000

const orderSql = ({ by, descending }: OrderTerm): string => {
  const column = by.kind === "time" ? "time" : `${by.kind === "key" ? "k" : "m"}${by.index}`
  return `${column} ${descending ? "desc" : "asc"} nulls last`
}

/** What both kinds of statements have in common. */
const partsOf = (sql: SqlClient.SqlClient, account_id: string, plan: AnalyticsPlan) => {
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

  /** A missing value passes no operator; `<> all` of nothing would let it. */
  const textPasses = (value: Fragment, operator: OperatorName, values: readonly string[]) =>
    operator === "in" || operator === "not_in"
      ? sql`(${value} is not null and ${value} ${text(comparisons[operator])} (${arrayLiteral(values)}::text[]))`
      : sql`${value} ${text(comparisons[operator])} ${values[0] ?? ""}::text`

  const within = (instant: string, { start, end }: Range) =>
    sql`(${text(instant)} >= ${new Date(start)} and ${text(instant)} < ${new Date(end)})`

  const pairs = plan.keys.find((key) => key.kind === "tag_name")
  return {
    events:
      pairs === undefined
        ? sql`gatewarden_usage_event e`
        : sql`gatewarden_usage_event e ${text(pairs.include_nulls ? "left join" : "join")}
            lateral jsonb_each_text(${tags}) as tag (name, value) on true`,
    within,
    /** On a row of events, or of cells. */
    conditions: [
      sql`e.account_id = ${account_id}`,
      ...plan.filters.map(({ dimension, operator, values, include_unset }) => {
        const field = text(dimension === "workspace" ? '(e.workspace_id::text collate "C")' : columnOf(dimension))
        const passes = textPasses(field, operator, values)
        return include_unset ? sql`(${field} is null or ${passes})` : passes
      }),
      ...plan.tagFilters.map(({ tag, operator, values }) => textPasses(tagOf(tag), operator, values)),
      ...plan.keys.flatMap((key) =>
        key.kind === "tag" && !key.include_nulls ? [sql`${tagOf(key.tag)} is not null`] : []
      )
    ],
    /** What rows are grouped by, `instant` in its bucket. */
    groups: (instant: string): readonly Fragment[] => [
      ...(plan.granularity === null ? [] : [sql`${text(buckets[plan.granularity](instant))} as time`]),
      ...plan.keys.map((key, index) => sql`${keySql(key)} collate "C" as ${text(`k${index}`)}`)
    ],
    names: [...(plan.granularity === null ? [] : ["time"]), ...plan.keys.map((_, index) => `k${index}`)]
  }
}

const groupBy = (count: number): string =>
  count === 0 ? "" : `group by ${Array.from({ length: count }, (_, index) => index + 1).join(", ")}`

/** Rows of all events. */
const cellsOfEvents = (sql: SqlClient.SqlClient, account_id: string, plan: AnalyticsPlan) => {
  const { events, within, conditions, groups, names } = partsOf(sql, account_id, plan)
  const measures = plan.measures.map((name, index) => sql.literal(`${measureSql(name)} as m${index}`))
  return sql`cell as (
    select ${sql.csv([...groups("e.created_at"), ...measures])} from ${events}
    where ${sql.and([...conditions, within("e.created_at", plan)])} ${sql.literal(groupBy(names.length))}
  )`
}

/** Rows of a roll-up and of the events beside it, those that wait to be summed among them. */
const cellsOfRollup = (sql: SqlClient.SqlClient, account_id: string, plan: AnalyticsPlan, source: SummedSource) => {
  const text = sql.literal
  const { within, conditions, groups, names } = partsOf(sql, account_id, plan)
  const { bits } = source.rollup
  const among = (instant: string, ranges: readonly Range[]) => sql.or(ranges.map((range) => within(instant, range)))

  /** The same columns of cells of days and hours, and of events. */
  const rows = (table: string, ofCell: readonly string[], ofEvent: readonly string[], where = "true") => {
    const selected = sql.csv([...groups("e.created_at"), ...ofEvent.map((column) => text(column))])
    const summed = (isByHour: boolean, ranges: readonly Range[]) =>
      ranges.length === 0
        ? []
        : [
            sql`
              select ${sql.csv([...groups("e.bucket"), ...ofCell.map((column) => text(column))])} from ${text(table)} e
              where ${sql.and(conditions)} and e.rollup = ${bits}::smallint and e.is_day = ${!isByHour}
                and ${among("e.bucket", ranges)}`
          ]
    const covered = [...source.days, ...source.hours]
    const parts = [
      ...summed(false, source.days),
      ...summed(true, source.hours),
      ...(source.events.length === 0
        ? []
        : [
            sql`
              select ${selected} from gatewarden_usage_event e
              where ${sql.and(conditions)} and ${among("e.created_at", source.events)} and ${text(where)}`
          ]),
      ...(source.waiting === undefined
        ? []
        : [
            // Their partitions are known when the statement is planned.
            sql`
              select ${selected} from gatewarden_usage_unfolded u
              join gatewarden_usage_event e on e.account_id = u.account_id and e.created_at = u.created_at and e.id = u.id
              where u.account_id = ${account_id} and ${among("u.created_at", covered)}
                and ${within("e.created_at", source.waiting)} and ${sql.and(conditions)} and ${text(where)}`
          ])
    ]
    return sql.join(" union all ", false)(parts)
  }

  const columns = [...new Set(["request_count", ...plan.measures.flatMap(columnsOf)])]
  const grouped = names.map((name) => `s.${name}`)
  const list = (own: readonly string[]) => text([...names, ...own].join(", "))
  const percentiles = plan.measures.flatMap((name, index) => {
    const metric = metrics[name]
    return "percentile" in metric ? [{ index, ...metric }] : []
  })
  const spreads = [...new Set(percentiles.map(({ of }) => of))]
  const partition = names.length === 0 ? "" : `partition by ${names.join(", ")}`

  const spread = (of: EventMeasure) => {
    const asked = percentiles.filter((one) => one.of === of)
    const exact = asked.map(
      ({ index, percentile }) => `percentile_disc(${percentile / 100}) within group (order by value) as m${index}`
    )
    const sketched = asked.map(
      ({ index, percentile }) =>
        `gatewarden_sketched_value(min(place) filter (where upto >= ceil(total * ${percentile} / 100.0))) as m${index}`
    )
    return sql`
      ${text(of)}_part as (
        select *, total > ${exactValues} as is_sketched from (
          select *, sum(times) over (${text(partition)}) as total from (${rows(
            "gatewarden_usage_spread",
            [`e.${of}_count as times`, `e.${of}_values as measured`, `e.${of}_sketch as sketch`],
            ["1::bigint as times", `array[e.${of}] as measured`, "null::bigint[] as sketch"],
            `e.status = 'ok' and e.${of} is not null`
          )}) as source
        ) as counted
      ), ${text(of)}_place as (
        select ${list(["max(total) as total", "place", "sum(times) as times"])} from (
          select ${list(["total", "gatewarden_sketched_place(value) as place", "1::bigint as times"])}
          from ${text(of)}_part cross join lateral unnest(case when is_sketched and sketch is null then measured end) as value
          union all
          select ${list(["total", "part >> 48", "part & ((1::bigint << 48) - 1)"])}
          from ${text(of)}_part cross join lateral unnest(case when is_sketched then sketch end) as part
        ) as single group by ${list(["place"])}
      ), ${text(of)}_rank as (
        select ${list(exact)} from ${text(of)}_part cross join lateral unnest(case when not is_sketched then measured end) as value
        ${text(groupBy(names.length))} having count(*) > 0
        union all
        select ${list(sketched)} from (
          select *, sum(times) over (${text(partition)} order by place) as upto from ${text(of)}_place
        ) as ordered ${text(groupBy(names.length))} having count(*) > 0
      )`
  }

  /** Rows of cells and percentiles are of the same groups, in which nulls are equal. */
  const joined = spreads.map((of) => {
    const keys = (table: string) => `array[${plan.keys.map((_, index) => `${table}.k${index}`).join(", ")}]::text[]`
    const time = plan.granularity === null ? "" : ` and summed.time = ${of}_rank.time`
    return text(` left join ${of}_rank on ${keys("summed")} = ${keys(`${of}_rank`)}${time}`)
  })
  const shown = [
    ...names.map((name) => `summed.${name}`),
    ...plan.measures.map((name, index) => {
      const metric = metrics[name]
      return `${"percentile" in metric ? metric.of + "_rank" : "summed"}.m${index}`
    })
  ]
  const sums = plan.measures.flatMap((name, index) =>
    "percentile" in metrics[name] ? [] : [`${measureOfCells(name)} as m${index}`]
  )
  return sql`
    source as (${rows(
      "gatewarden_usage_cell",
      columns.map((column) => `e.${column}::numeric as ${column}`),
      columns.map((column) => `${columnOfEvent(column)} as ${column}`)
    )}),
    summed as (
      select ${text([...grouped, ...sums, "sum(s.request_count) as requests"].join(", "))} from source s
      ${text(groupBy(names.length))}
    ),
    ${sql.join(
      ", ",
      false
    )([
      ...spreads.map(spread),
      sql`cell as (select ${text(shown.join(", "))} from summed${sql.join("", false)([text(""), ...joined])})`
    ])}`
}

/** The statement of a plan over sums, or over events alone. */
export const analyticsStatement = (
  sql: SqlClient.SqlClient,
  account_id: string,
  plan: AnalyticsPlan,
  source: SummedSource | undefined
) => {
  const text = sql.literal
  const rowPasses = ({ measure, operator, values }: MetricFilter): Fragment => {
    const isExact = metrics[plan.measures[measure] ?? "request_count"].unit !== "number"
    const type = text(isExact ? "numeric" : "float8")
    const sent = values.map(({ exact, number }) => (isExact ? formatDecimal(exact) : String(number)))
    const value = text(`m${measure}`)
    return operator === "in" || operator === "not_in"
      ? sql`(${value} is not null and ${value} ${text(comparisons[operator])} (${arrayLiteral(sent)}::${type}[]))`
      : sql`${value} ${text(comparisons[operator])} ${sent[0] ?? ""}::${type}`
  }
  const cells =
    source === undefined ? cellsOfEvents(sql, account_id, plan) : cellsOfRollup(sql, account_id, plan, source)
  const kept = plan.having.length === 0 ? text("cell") : sql`cell where ${sql.and(plan.having.map(rowPasses))}`
  const ordered = plan.order.length === 0 ? text("") : text(`order by ${plan.order.map(orderSql).join(", ")}`)
  // One row more than there may be tells whether there are more.
  const limited = sql`${ordered} limit ${plan.limit + 1}`
  if (plan.group_limit === null) return sql`with ${cells} select *, false as is_cut from ${kept} ${limited}`
  const keys = text(plan.keys.map((_, index) => `k${index}`).join(", "))
  return sql`
    with ${cells},
    ranked as (select *, row_number() over (partition by ${keys} ${ordered}) as place from ${kept})
    select *, (select max(place) > ${plan.group_limit} from ranked) as is_cut
    from ranked where place <= ${plan.group_limit} ${limited}`
}
