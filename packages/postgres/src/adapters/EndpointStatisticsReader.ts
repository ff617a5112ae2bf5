/**
 * Reads what the tables of `migrations/baseline/statistics.sql` have of a model: spans of hours and minutes, and the events that are in none.
 */
import {
  type EndpointStatisticsQuery,
  EndpointStatisticsReader,
  percentiles,
  percentilesOf,
  privateTags,
  statisticsWindows,
  uptimeOf
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { readingMuch } from "../statements/statements.ts"

/** So many values of an endpoint are read as they are, even if there are sketches of them (Rule: models#endpoint-statistics). */
const fewValues = 1_000
/** A span of more requests has a sketch. */
const sketchedAbove = 100

/** The endpoints that count what has a tag, or no tag and a provider. */
const places = (sql: SqlClient.SqlClient, endpoints: EndpointStatisticsQuery["endpoints"]) => sql`
  place as (
    select name, is_tag, position::int4 as position from (
      select name, true, position
      from unnest(${endpoints.map(({ tag }) => tag)}::text[]) with ordinality as tags (name, position)
      union all
      select name, false, position
      from unnest(
        ${endpoints.map(({ provider_slug }) => provider_slug)}::text[], ${endpoints.map(({ tag }) => tag)}::text[]
      ) with ordinality as providers (name, tag, position)
      where not starts_with(tag, ${privateTags})
    ) as places (name, is_tag, position)
  )`

const statement = (
  sql: SqlClient.SqlClient,
  { account_id, slug, variants, endpoints, now }: EndpointStatisticsQuery
): Statement.Statement<Record<string, unknown>> => {
  const instant = (millis: number) => sql`${new Date(millis).toISOString()}::timestamptz`
  const until = instant(now)
  const from = (window: keyof typeof statisticsWindows) => instant(now - statisticsWindows[window])
  const ofModel = sql`model = ${slug}::text
    and (variant = any(${variants.included}::text[]) or (${variants.others} and variant <> all(${variants.listed}::text[])))
    and ${account_id === undefined ? sql`not self_reported` : sql`account_id = ${account_id}::uuid`}`
  /** Milliseconds from the beginning of a span, of at most an hour. */
  const offset = (at: Statement.Fragment) =>
    sql`least(greatest(extract(epoch from ${at} - begins_at) * 1000, -1), 3600000)::int`

  const countedEvents = (isOk: boolean, window: keyof typeof statisticsWindows) =>
    sql`count(*) filter (where is_ok = ${isOk} and created_at >= ${from(window)})`
  // How many of a list in order are not greater is found by bisection.
  const countedInSpan = (column: "ok" | "errors", window: keyof typeof statisticsWindows) => sql`
    sum(case
      when last_at < ${from(window)} then 0
      when begins_at >= ${from(window)} and last_at <= ${until} then ${sql(column)}
      else coalesce(
        width_bucket(${offset(until)}, ${sql(`${column}_at`)}) - width_bucket(${offset(from(window))} - 1, ${sql(`${column}_at`)}), 0
      )
    end)`
  const figures = (count: (column: "ok" | "errors", window: keyof typeof statisticsWindows) => Statement.Fragment) =>
    sql.csv(
      (["last5m", "last30m", "last1d"] as const).flatMap((window) =>
        (["ok", "errors"] as const).map((column) => sql`${count(column, window)} as ${sql(`${column}_${window}`)}`)
      )
    )
  const summed = figures((column, window) => sql`sum(${sql(`${column}_${window}`)})::float8`)

  const toPlaces = sql`join place on place.name = coalesce(endpoint_tag, provider) and place.is_tag = (endpoint_tag is not null)`
  const ranks = sql.csv(
    percentiles.map((percent) => sql`min(value) filter (where upto * 100 >= total * ${percent}::int)`)
  )

  return sql`
    with ${places(sql, endpoints)},
    event as materialized (
      select endpoint_tag, provider, is_ok, created_at, latency_ms, throughput from gatewarden_measured_event
      where ${ofModel} and created_at >= ${from("last1d")} and created_at <= ${until}
    ),
    counts as materialized (
      select endpoint_tag, provider, ${summed} from (
        select endpoint_tag, provider, ${figures((column, window) => countedEvents(column === "ok", window))}
        from event group by endpoint_tag, provider
        union all
        select endpoint_tag, provider, ${figures(countedInSpan)} from gatewarden_measured_span
        where ${ofModel} and begins_at > ${from("last1d")} - interval '1 hour' and begins_at <= ${until}
          and last_at >= ${from("last1d")}
        group by endpoint_tag, provider
      ) parts
      group by endpoint_tag, provider
    ),
    minute as materialized (
      select s.endpoint_tag, s.provider, s.ok_at, s.latency_ms, s.throughput, s.latency_ms_sketch, s.throughput_sketch,
        ${offset(from("last30m"))} as first, ${offset(until)} as last,
        s.ok > ${sketchedAbove}::int and c.ok_last30m > ${fewValues}::int and s.begins_at >= ${from("last30m")}
          and s.last_at <= ${until} as is_sketched
      from (
        select * from gatewarden_measured_span
        where ${ofModel} and not is_hour and ok > 0 and begins_at > ${from("last30m")} - interval '1 minute' and begins_at <= ${until}
      ) s join counts c on c.provider = s.provider and c.endpoint_tag is not distinct from s.endpoint_tag
    ),
    measured as (
      select endpoint_tag, provider, kind, value, 1::bigint as times from (
        select endpoint_tag, provider, latency_ms, throughput from event where is_ok and created_at >= ${from("last30m")}
        union all
        select endpoint_tag, provider, u.latency_ms, u.throughput
        from minute m cross join unnest(m.ok_at, m.latency_ms, m.throughput) u (at, latency_ms, throughput)
        where not is_sketched and u.at between first and last
      ) one cross join lateral (values ('latency', latency_ms), ('throughput', throughput)) two (kind, value)
      where value is not null
      union all
      select endpoint_tag, provider, kind, gatewarden_sketched_value(part >> 48), part & ((1::bigint << 48) - 1)
      from minute cross join lateral (
        select 'latency', part from unnest(latency_ms_sketch) part
        union all select 'throughput', part from unnest(throughput_sketch) part
      ) sketch (kind, part)
      where is_sketched
    ),
    ranked as (
      select position, kind, value, sum(times) over (partition by position, kind order by value) as upto,
        sum(times) over (partition by position, kind) as total
      from measured ${toPlaces}
    ),
    times as (
      select position, kind, array[${ranks}] as ranks from ranked group by position, kind
    ),
    requests as (
      select position, ${summed} from counts ${toPlaces} group by position
    )
    select requests.*, l.ranks as latency, t.ranks as throughput from requests
    left join times l on l.position = requests.position and l.kind = 'latency'
    left join times t on t.position = requests.position and t.kind = 'throughput'`
}

export const endpointStatisticsReader = Effect.map(AnalyticsSql, (sql) =>
  EndpointStatisticsReader.of({
    measure: (query) =>
      readingMuch(
        Effect.map(statement(sql, query), (rows) => {
          const byPosition = new Map(rows.map((row) => [row["position"], row]))
          return query.endpoints.map((_, index) => {
            const row = byPosition.get(index + 1) ?? {}
            const uptime = (window: keyof typeof statisticsWindows) =>
              uptimeOf(Number(row[`ok_${window}`] ?? 0), Number(row[`errors_${window}`] ?? 0))
            return {
              latency_last_30m: percentilesOf(numbers(row["latency"])),
              throughput_last_30m: percentilesOf(numbers(row["throughput"])),
              uptime_last_5m: uptime("last5m"),
              uptime_last_30m: uptime("last30m"),
              uptime_last_1d: uptime("last1d")
            }
          })
        })
      )
  })
)

const numbers = (column: unknown): readonly (number | null)[] => (Array.isArray(column) ? column : [])
