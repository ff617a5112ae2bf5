/**
 * What usage takes on ClickHouse, and how long analytics of it takes, of events and of sums:
 * `node packages/bench/dist/usage/clickhouse.js [EVENTS [COPIES]]`, a million by default. On chdb, or the server that `GATEWARDEN_TEST_CLICKHOUSE_URL`
 * names. A million takes two minutes to make and send.
 */
import {
  insertEvents,
  makeAnalyticsReader,
  migrateClickhouse,
  openClickhouse,
  sumUsage,
  usageColumns
} from "@gatewarden/clickhouse/internal"
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { planQuery } from "@gatewarden/core/internal"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { Effect, Redacted } from "effect"
import { argv } from "node:process"
import { seededAccount, seededEvents } from "./seededEvents.ts"

const seeded = Number(argv[2] ?? 1_000_000)
/** Each seeded event is there so many times, minutes apart and with ids of their own: made by ClickHouse, which is quicker. */
const copies = Number(argv[3] ?? 1)
const events = seeded * copies
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
  "by user": { metrics: sums, dimensions: ["user"] },
  "by app": { metrics: sums, dimensions: ["app"] },
  "by status": { metrics: sums, dimensions: ["status", "finish_reason"] },
  "by external user": { metrics: sums, dimensions: ["external_user"] },
  "by model and provider": { metrics: sums, dimensions: ["model", "provider"] },
  "by model and key": { metrics: sums, dimensions: ["model", "api_key_id"] },
  "by model and user": { metrics: sums, dimensions: ["model", "user"] },
  "by country": { metrics: sums, dimensions: ["country"] },
  "by hour": { metrics: sums, granularity: "hour" },
  percentiles: { metrics: percentiles },
  "percentiles by day": { metrics: percentiles, granularity: "day" },
  "percentiles by model": { metrics: percentiles, dimensions: ["model"] }
}

const program = Effect.gen(function* () {
  const clickhouse = yield* openClickhouse({ url: Redacted.make(yield* clickhouseDatabase) })
  yield* migrateClickhouse(clickhouse, {})
  for (const chunk of seededEvents({ events: seeded, end }, eventsAtOnce))
    yield* insertEvents(
      clickhouse,
      chunk.map((event) => ({ account_id: seededAccount, version: "1", event }))
    )
  const names = usageColumns.map(({ name }) => name)
  const shifted: Readonly<Record<string, string>> = {
    id: "concat('gen-', left(lower(hex(sipHash128(id, n))), 24))",
    created_at: `least(created_at + toInt64(sipHash64(id, n) % 600000), ${end - 1})`,
    session_id: "if(isNull(session_id), NULL, concat('sess_', left(lower(hex(sipHash128(session_id, n))), 24)))"
  }
  for (let copy = 1; copy < copies; copy++)
    yield* clickhouse.run(
      `INSERT INTO gatewarden_usage_event (account_id, version, ${names.join(", ")})
      SELECT account_id, 2, ${names.map((name) => shifted[name] ?? name).join(", ")}
      FROM gatewarden_usage_event CROSS JOIN (SELECT ${copy} AS n) AS copy WHERE version = 1`
    )
  yield* clickhouse.run("OPTIMIZE TABLE gatewarden_usage_event FINAL")
  const bytesOf = (table: string) =>
    Effect.map(
      clickhouse.rows(
        `SELECT sum(bytes_on_disk), sum(rows) FROM system.parts
        WHERE active AND database = currentDatabase() AND table = '${table}'`
      ),
      ([row]) => `${(Number(row?.[0]) / events).toFixed(1)} bytes an event, in ${String(row?.[1])} rows`
    )
  console.log(`${events} events: ${yield* bytesOf("gatewarden_usage_event")}`)
  const reader = makeAnalyticsReader(clickhouse, Effect.void)
  const measure = Effect.gen(function* () {
    for (const days of [30, 120])
      for (const [name, query] of Object.entries(queries)) {
        const planned = planQuery(AnalyticsQuery.parse({ ...query, time_range: last(days) }), end)
        if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
        const millis: number[] = []
        let source: string | undefined
        for (let run = 0; run < runs; run++) {
          const began = performance.now()
          const answer = yield* reader.read(seededAccount, planned.plan)
          if (answer !== "unknown_classifier") source = answer.source
          millis.push(performance.now() - began)
        }
        millis.sort((a, b) => a - b)
        console.log(
          `${name}, ${days} days: ${millis[0]?.toFixed(0)} ms at best, ${millis[runs >> 1]?.toFixed(0)} ms median (${source})`
        )
      }
  })
  console.log("of events:")
  yield* measure
  const began = performance.now()
  let days = 1
  // As if the last mark were a minute old.
  const later = Date.now() + 100 * 86_400_000
  for (let more = -1; more !== 0; days += more) more = yield* sumUsage(clickhouse, later, {})
  console.log(
    `of sums, made in ${((performance.now() - began) / 1_000).toFixed(1)} s: ${yield* bytesOf("gatewarden_usage_cell")}`
  )
  yield* measure
})

await Effect.runPromise(Effect.scoped(program))
