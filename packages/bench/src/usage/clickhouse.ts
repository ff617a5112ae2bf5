/**
 * What usage takes on ClickHouse, and how long analytics of it takes: `node packages/bench/dist/usage/clickhouse.js [EVENTS]`, a million by
 * default. On chdb, or the server that `GATEWARDEN_TEST_CLICKHOUSE_URL` names. A million takes two minutes to make and send.
 */
import { insertEvents, makeAnalyticsReader, migrateClickhouse, openClickhouse } from "@gatewarden/clickhouse/internal"
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { planQuery } from "@gatewarden/core/internal"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { Effect, Redacted } from "effect"
import { argv } from "node:process"
import { seededAccount, seededEvents } from "./seededEvents.ts"

const events = Number(argv[2] ?? 1_000_000)
const end = Date.parse("2026-12-01T00:00:00.000Z")
const eventsAtOnce = 100_000
const runs = 7

const last = (days: number) => ({
  start: new Date(end - days * 86_400_000).toISOString(),
  end: new Date(end).toISOString()
})
const sums = ["request_count", "tokens_total", "total_usage"]
const percentiles = ["p50_latency", "p90_latency", "p99_latency"]

const queries: Readonly<Record<string, object>> = {
  totals: { metrics: sums },
  "by model": { metrics: sums, dimensions: ["model"] },
  "by key": { metrics: sums, dimensions: ["api_key_id"] },
  "by day and model": { metrics: sums, dimensions: ["model"], granularity: "day" },
  "percentiles by model": { metrics: percentiles, dimensions: ["model"] }
}

const program = Effect.gen(function* () {
  const clickhouse = yield* openClickhouse({ url: Redacted.make(yield* clickhouseDatabase) })
  yield* migrateClickhouse(clickhouse, {})
  for (const chunk of seededEvents({ events, end }, eventsAtOnce))
    yield* insertEvents(
      clickhouse,
      chunk.map((event) => ({ account_id: seededAccount, version: "1", event }))
    )
  const [size] = yield* clickhouse.rows(
    `SELECT sum(bytes_on_disk) / sum(rows), count() FROM system.parts
    WHERE active AND database = currentDatabase() AND table = 'gatewarden_usage_event'`
  )
  console.log(`${events} events: ${Number(size?.[0]).toFixed(1)} bytes an event, in ${String(size?.[1])} parts`)
  const reader = makeAnalyticsReader(clickhouse, Effect.void)
  for (const days of [30, 120])
    for (const [name, query] of Object.entries(queries)) {
      const planned = planQuery(AnalyticsQuery.parse({ ...query, time_range: last(days) }), end)
      if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
      const millis: number[] = []
      for (let run = 0; run < runs; run++) {
        const began = performance.now()
        yield* reader.read(seededAccount, planned.plan)
        millis.push(performance.now() - began)
      }
      millis.sort((a, b) => a - b)
      console.log(
        `${name}, ${days} days: ${millis[0]?.toFixed(0)} ms at best, ${millis[runs >> 1]?.toFixed(0)} ms median`
      )
    }
})

await Effect.runPromise(Effect.scoped(program))
