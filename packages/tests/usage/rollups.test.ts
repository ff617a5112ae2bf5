/**
 * Analytics answers the same from sums as from events. Rule: analytics#sources.
 */
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { AnalyticsReader, planQuery, Retention, rollups, UsageLog } from "@gatewarden/core/internal"
import type { UsageEvent } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { analyticsAgreement } from "@gatewarden/conformance/internal/usage/AnalyticsReader.suite"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Layer, Redacted, Stream } from "effect"
import { inject } from "vitest"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

/** Otherwise the few events of a test would have no sums. */
const keepAll = `
  create or replace function gatewarden_is_useful_set(cells bigint, events bigint)
  returns boolean language sql immutable as 'select true'`

/** Parts of a few events, so that events come between the parts of a day. */
const inParts = `
  create or replace function gatewarden_summed_at_once()
  returns int language sql immutable as 'select 3'`

const database = { url: "" }

const storeWith = (...statements: readonly string[]) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const url = await createMigratedDatabase(inject("postgres"))
      await execute(url, ...statements)
      database.url = url
      return layerStore.pipe(Layer.provide(layerPostgres({ url: Redacted.make(url) })))
    })
  )

analyticsAgreement("PostgreSQL that sums every day", () => storeWith(keepAll), { runs: 100 })
analyticsAgreement("PostgreSQL that sums every day in parts", () => storeWith(keepAll, inParts), { runs: 100 })

const now = Date.parse("2026-03-04T12:00:00.000Z")
const workspace_id = "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10"

/** Two thousand values over four orders of magnitude, in an order that looks like none. */
const latencies = Array.from(
  { length: 2_000 },
  (_, n) => Math.round(10 ** (((n * 7919) % 2_000) / 500) * 1_000) / 1_000
)

const events = (prefix: string, day: string, values: readonly number[]): readonly UsageEvent[] =>
  values.map((latency_ms, n) =>
    spendingEvent({
      ...{ id: `${prefix}-${n}`, created_at: `${day}T10:00:00.000Z`, workspace_id, latency_ms },
      ...{ api_key_hash: "a".repeat(64), user_id: `user ${n % 3}`, status: "ok" }
    })
  )

const nearestRank = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN

describe("sums of usage", () => {
  const run = storeUnderTest(() => storeWith(), now)
  const record = (account: string, some: readonly UsageEvent[]) =>
    run(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.make(some))))
  /** All that is due, a day later each time. */
  const sum = async (days: number) => {
    for (let day = 1; day <= days; day++)
      await run(
        byHand({ now: now + day * 86_400_000 })(
          Effect.gen(function* () {
            const retention = yield* Retention
            while ((yield* retention.foldUsage(1_000)) > 0);
          })
        )
      )
  }
  const read = async (account: string, query: object) => {
    const planned = planQuery(AnalyticsQuery.parse(query), now)
    if (!planned.ok) assert.fail(planned.reason)
    const answer = await run(Effect.flatMap(AnalyticsReader, (reader) => reader.read(account, planned.plan)))
    return answer === "unknown_classifier" ? assert.fail(answer) : answer
  }
  const time_range = { start: "2026-02-28T00:00:00Z", end: "2026-03-04T00:00:00Z" }

  it("have percentiles within 1 %, of few values exact ones", async () => {
    const account = crypto.randomUUID()
    await record(account, events("a", "2026-03-01", latencies))
    await record(account, events("b", "2026-03-02", latencies.slice(0, 600)))
    await sum(1)
    // Late, so that sketches and values are merged.
    const late = latencies.slice(0, 300).map((value) => value * 3)
    await record(account, events("c", "2026-03-01", late))
    await record(account, events("d", "2026-03-02", late))
    await sum(2)
    const metrics = ["p50_latency", "p90_latency", "p99_latency"]
    const { cells, source } = await read(account, { metrics, granularity: "day", time_range })
    assert.strictEqual(source, "total: 2 days, 0 hours, 2 ranges of events")
    const [second, first] = cells.map(({ measures }) => measures.map(Number))
    const few = [...latencies.slice(0, 600), ...late]
    assert.deepEqual(
      second,
      [50, 90, 99].map((percent) => nearestRank(few, percent))
    )
    const many = [...latencies, ...late]
    for (const [index, percent] of [50, 90, 99].entries()) {
      const exact = nearestRank(many, percent)
      assert.approximately((first?.[index] ?? 0) / exact, 1, 0.01, `p${percent}`)
    }
    assert.notDeepEqual(
      first,
      [50, 90, 99].map((percent) => nearestRank(many, percent))
    )
  })

  it("stay when the events of their days are dropped", async () => {
    const account = crypto.randomUUID()
    await record(account, events("old", "2025-11-03", latencies.slice(0, 7)))
    const query = {
      metrics: ["request_count", "total_usage", "p50_latency"],
      time_range: { start: "2025-11-03T00:00:00Z", end: "2025-11-04T00:00:00Z" }
    }
    const byUser = { metrics: ["request_count"], dimensions: ["user"], time_range: query.time_range }
    const [before, users] = [await read(account, query), await read(account, byUser)]
    assert.strictEqual(before.source, "events")
    await sum(1)
    const keep = Effect.gen(function* () {
      const retention = yield* Retention
      while ((yield* retention.foldRankings(100, 1_100 * 86_400)) > 0);
      while ((yield* retention.keepUsage(30, 1_100 * 86_400, 10)) > 0);
    })
    await run(keep)
    assert.deepEqual(
      await execute(database.url, "select from gatewarden_usage_event where created_at < '2026-01-01'"),
      []
    )
    const after = await read(account, query)
    assert.deepEqual(after.cells, before.cells)
    assert.strictEqual(after.source, "total: 1 days, 0 hours, 0 ranges of events")
    assert.deepEqual((await read(account, byUser)).cells, users.cells)
    // Where so much waits, events are read instead: of these days there are none.
    await execute(
      database.url,
      `insert into gatewarden_usage_unfolded select '${account}', now(), n::text from generate_series(1, 20001) n`
    )
    assert.deepEqual((await read(account, query)).cells, before.cells)
  })

  it("are of the dimensions that a plan expects", async () => {
    const sets = await execute(
      database.url,
      "select number, is_day, to_json(dimensions) as dimensions from gatewarden_cell_sets() order by number"
    )
    const columns = { api_key_id: "api_key_hash", user: "user_id", endpoint: "endpoint_tag" } as Record<string, string>
    const expected = rollups.flatMap(({ bits, dimensions, isCoarse }) => {
      const named = dimensions.map((name) => columns[name] ?? name).sort()
      return [
        { number: bits, is_day: true, named },
        ...(isCoarse ? [{ number: bits + 128, is_day: false, named }] : [])
      ]
    })
    assert.deepEqual(
      sets.map(({ number, is_day, dimensions }) => ({ number, is_day, named: [...(dimensions as string[])].sort() })),
      expected.sort((a, b) => a.number - b.number)
    )
  })
})
