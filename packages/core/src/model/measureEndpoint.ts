/**
 * Latency, throughput and uptime of an endpoint, from the events that are its own.
 *
 * Rule: models#endpoint-statistics. Windows are closed: an event dated exactly at either end counts, one dated ahead does not yet.
 */
import type { CatalogEndpoint, EndpointStatistics, Percentiles } from "@gatewarden/contract/internal"
import { isPrivateTag } from "../catalog/ownModels.ts"
import type { UsageEvent } from "../ports/usage.ts"

/**
 * The nearest-rank percentile: the smallest value that at least `percent` of all values do not exceed (Rule: analytics#metrics,
 * models#endpoint-statistics).
 */
export const nearestRank = (ascending: readonly number[], percent: number): number | undefined =>
  ascending[Math.ceil((percent * ascending.length) / 100) - 1]

export type MeasuredEvent = Pick<
  UsageEvent,
  "created_at" | "endpoint_tag" | "provider" | "status" | "latency_ms" | "throughput"
>

/** The span of each window in milliseconds. */
export const statisticsWindows = { last5m: 5 * 60_000, last30m: 30 * 60_000, last1d: 24 * 3_600_000 } as const

export const percentiles = [50, 75, 90, 99] as const

/**
 * An event belongs to the endpoint that its tag names. One without a tag was served by some endpoint of its provider, nobody
 * knows which, so it counts for each of them; one whose tag names no endpoint counts for none. What served a private endpoint has its tag.
 */
const isServedBy = (event: MeasuredEvent, endpoint: Pick<CatalogEndpoint, "tag" | "provider_slug">): boolean =>
  event.endpoint_tag === null
    ? event.provider === endpoint.provider_slug && !isPrivateTag(endpoint.tag)
    : event.endpoint_tag === endpoint.tag

/** Percent of the requests that the endpoint answered well; `null` when none counts. */
export const uptimeOf = (ok: number, error: number): number | null =>
  ok + error === 0 ? null : (ok * 100) / (ok + error)

/** The four percentiles in the order of the table; `null` when nothing was measured. */
export const percentilesOf = ([p50, p75, p90, p99]: readonly (number | null | undefined)[]): Percentiles | null =>
  p50 == null || p75 == null || p90 == null || p99 == null ? null : { p50, p75, p90, p99 }

export const measureEndpoint = (
  endpoint: Pick<CatalogEndpoint, "tag" | "provider_slug">,
  events: readonly MeasuredEvent[],
  now: number
): EndpointStatistics => {
  const own = events.filter((event) => isServedBy(event, endpoint))
  const within = (span: number) =>
    own.filter(({ created_at }) => {
      const age = now - Date.parse(created_at)
      return age >= 0 && age <= span
    })
  const recent = within(statisticsWindows.last30m).filter(({ status }) => status === "ok")
  const spread = (field: "latency_ms" | "throughput") => {
    const ascending = recent.flatMap((event) => event[field] ?? []).sort((a, b) => a - b)
    return percentilesOf(percentiles.map((percent) => nearestRank(ascending, percent)))
  }
  const uptime = (span: number) => {
    const counted = within(span)
    const ended = (status: UsageEvent["status"]) => counted.filter((event) => event.status === status).length
    return uptimeOf(ended("ok"), ended("error"))
  }
  return {
    latency_last_30m: spread("latency_ms"),
    throughput_last_30m: spread("throughput"),
    uptime_last_5m: uptime(statisticsWindows.last5m),
    uptime_last_30m: uptime(statisticsWindows.last30m),
    uptime_last_1d: uptime(statisticsWindows.last1d)
  }
}
