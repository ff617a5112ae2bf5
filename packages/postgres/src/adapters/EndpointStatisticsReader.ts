import {
  type EndpointStatisticsQuery,
  EndpointStatisticsReader,
  percentilesOf,
  privateTags,
  statisticsWindows,
  uptimeOf
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { readingMuch } from "../statements/statements.ts"

export const endpointStatisticsReader = Effect.map(AnalyticsSql, (sql) => {
  const statement = ({ account_id, slug, variants, endpoints, now }: EndpointStatisticsQuery) => {
    const instant = (millis: number) => sql`${new Date(millis).toISOString()}::timestamptz`
    const since = (span: number) => sql`created_at >= ${instant(now - span)}`
    const { last5m, last30m, last1d } = statisticsWindows
    // The model's events of the partitions of one day or two, whatever else there is.
    const found = (span: number, place: Statement.Fragment) => sql`
      select endpoint_tag, provider, status, created_at, latency_ms, throughput from gatewarden_usage_event
      where ${place} and ${since(span)} and created_at <= ${instant(now)} and adjusts is null
        and (variant = any(${variants.included}::text[])
          or (${variants.others} and variant <> all(${variants.listed}::text[])))`
    const shared = (span: number) => sql`${found(span, sql`model = ${slug}::text`)} and self_reported is not true`
    // What an account reported itself has an index of its own.
    const events = (span: number) =>
      account_id === undefined
        ? shared(span)
        : sql`
            ${shared(span)} and account_id = ${account_id}::uuid
            union all ${found(span, sql`account_id = ${account_id}::uuid and model = ${slug}::text`)} and self_reported`
    const counted = (status: string, span: number) => sql`count(*) filter (where status = ${status} and ${since(span)})`
    const spread = (field: "latency_ms" | "throughput") =>
      sql`percentile_disc(array[0.5, 0.75, 0.9, 0.99]) within group (order by ${sql(field)}) filter (where ${sql(field)} is not null)`
    const toPlaces = sql`
      join place on place.name = coalesce(endpoint_tag, provider) and place.is_tag = (endpoint_tag is not null)`
    // The day is counted before it is spread over the endpoints; only the last half hour is sorted.
    return sql`
      with place as (
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
      ),
      counts as (
        select endpoint_tag, provider,
          ${counted("ok", last5m)} as ok_5m, ${counted("error", last5m)} as error_5m,
          ${counted("ok", last30m)} as ok_30m, ${counted("error", last30m)} as error_30m,
          ${counted("ok", last1d)} as ok_1d, ${counted("error", last1d)} as error_1d
        from (${events(last1d)}) recent
        group by endpoint_tag, provider
      ),
      requests as (
        select position, sum(ok_5m)::float8 as ok_5m, sum(error_5m)::float8 as error_5m,
          sum(ok_30m)::float8 as ok_30m, sum(error_30m)::float8 as error_30m,
          sum(ok_1d)::float8 as ok_1d, sum(error_1d)::float8 as error_1d
        from counts ${toPlaces}
        group by position
      ),
      times as (
        select position, ${spread("latency_ms")} as latency, ${spread("throughput")} as throughput
        from (${events(last30m)}) recent ${toPlaces}
        where status = 'ok'
        group by position
      )
      select * from requests left join times using (position)`
  }

  return EndpointStatisticsReader.of({
    measure: (query) =>
      readingMuch(
        Effect.map(statement(query), (rows) => {
          const byPosition = new Map(rows.map((row) => [row["position"], row]))
          return query.endpoints.map((_, index) => {
            const row = byPosition.get(index + 1) ?? {}
            const uptime = (window: string) =>
              uptimeOf(Number(row[`ok_${window}`] ?? 0), Number(row[`error_${window}`] ?? 0))
            return {
              latency_last_30m: percentilesOf(numbers(row["latency"])),
              throughput_last_30m: percentilesOf(numbers(row["throughput"])),
              uptime_last_5m: uptime("5m"),
              uptime_last_30m: uptime("30m"),
              uptime_last_1d: uptime("1d")
            }
          })
        })
      )
  })
})

const numbers = (column: unknown): readonly (number | null)[] => (Array.isArray(column) ? column : [])
