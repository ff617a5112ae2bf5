/** What ClickHouse is sent at least once counts once, whatever comes again, in whatever order and batches. */
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { erasureOf } from "@gatewarden/conformance/internal/stores/accountFixture"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import {
  insertEvents,
  layerClickhouse,
  migrateClickhouse,
  openClickhouse,
  type VersionedEvent
} from "@gatewarden/clickhouse/internal"
import {
  AnalyticsReader,
  Erasures,
  type UsageEvent,
  UsageLog,
  createAccount,
  planQuery
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { clickhouseDatabase, layerTestClickhouse } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { everyStore, stores } from "@gatewarden/testkit/stores/stores"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import * as fc from "fast-check"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const event = (n: number): UsageEvent => ({
  ...emptyEvent,
  id: `event-${n}`,
  created_at: new Date(now - n * 7_000_000).toISOString(),
  recorded_at: new Date(now).toISOString(),
  model: `acme/model-${n % 3}`,
  prompt_tokens: n,
  cost_nanos: BigInt(n) * 1_000n,
  latency_ms: n / 4
})

const byModel = planQuery(
  AnalyticsQuery.parse({
    metrics: ["request_count", "tokens_prompt", "total_usage", "avg_latency", "p50_latency"],
    dimensions: ["model"],
    time_range: { start: "2026-01-01T00:00:00.000Z", end: "2026-03-05T00:00:00.000Z" }
  }),
  now
)

const byUser = planQuery(AnalyticsQuery.parse({ metrics: ["request_count"], dimensions: ["user"] }), now)

const read = Effect.fnUntraced(function* (account_id: string, planned = byModel) {
  if (!planned.ok) return assert.fail(planned.reason)
  const reader = yield* AnalyticsReader
  const result = yield* reader.read(account_id, planned.plan)
  return result === "unknown_classifier" ? assert.fail(result) : result.cells
})

const record = (account_id: string, events: readonly UsageEvent[]) =>
  Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.make(events)))

describe("events that come more than once", () => {
  const run = storeUnderTest(
    () =>
      Layer.effectContext(
        Effect.gen(function* () {
          const url = Redacted.make(yield* clickhouseDatabase)
          const clickhouse = yield* openClickhouse({ url })
          yield* migrateClickhouse(clickhouse, {})
          const store = yield* Layer.build(layerClickhouse(stores.memory, { url }))
          return Context.merge(store, Context.make(Direct, clickhouse))
        })
      ),
    now
  )

  it("count once, whatever batches they come in", { timeout: 120_000 }, async () => {
    const batch = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
        const [sent, once] = [crypto.randomUUID(), crypto.randomUUID()]
        const version =
          (account_id: string) =>
          (n: number): VersionedEvent => ({ account_id, version: "1", event: event(n) })
        await run(
          Effect.gen(function* () {
            const clickhouse = yield* Direct
            for (const numbers of batches) yield* insertEvents(clickhouse, numbers.map(version(sent)))
            yield* record(once, [...new Set(batches.flat())].map(event))
            assert.deepEqual(yield* read(sent), yield* read(once))
          })
        )
      }),
      { numRuns: 12 }
    )
  })

  it("have the values of their latest version, whichever came last", async () => {
    const account_id = crypto.randomUUID()
    const versions: readonly VersionedEvent[] = [5, 9, 7].map((version) => ({
      account_id,
      version: `${version}`,
      event: { ...event(1), model: `acme/version-${version}` }
    }))
    const cells = await run(
      Effect.gen(function* () {
        const clickhouse = yield* Direct
        for (const one of versions) yield* insertEvents(clickhouse, [one])
        return yield* read(account_id)
      })
    )
    assert.deepEqual(
      cells.map(({ keys, measures }) => [keys[0], measures[0]]),
      [["acme/version-9", 1n]]
    )
  })
})

class Direct extends Context.Service<Direct, Effect.Success<ReturnType<typeof openClickhouse>>>()("Direct") {}

describe("forwarding", () => {
  for (const [kind, store] of everyStore)
    describe(`from ${kind}`, () => {
      const run = storeUnderTest(() => layerTestClickhouse(store), now)

      it("is done by the read that follows an acknowledged report, or before it in the background", async () => {
        const account_id = crypto.randomUUID()
        const counts = await run(
          Effect.gen(function* () {
            const log = yield* UsageLog
            yield* record(account_id, [event(1), event(2)])
            const first = yield* read(account_id)
            yield* record(account_id, [event(3), event(4), event(5)])
            assert.strictEqual(yield* log.forward, 3)
            assert.strictEqual(yield* log.forward, 0)
            return [first, yield* read(account_id)].map((cells) =>
              cells.reduce((sum, { measures }) => sum + Number(measures[0]), 0)
            )
          })
        )
        assert.deepEqual(counts, [2, 5])
      })

      it("is done again where nobody knows whether it was done", async () => {
        const account_id = crypto.randomUUID()
        const [waiting, cells] = await run(
          Effect.gen(function* () {
            const log = yield* UsageLog
            yield* record(account_id, [event(1), event(2), event(3)])
            const waiting = yield* log.outgoing(10)
            yield* log.forward
            // As if it had ended before it could forget them.
            yield* record(account_id, [event(4)])
            return [waiting, yield* read(account_id)] as const
          })
        )
        assert.deepEqual(
          waiting.map(({ event }) => event?.id),
          ["event-1", "event-2", "event-3"]
        )
        assert.strictEqual(
          cells.reduce((sum, { measures }) => sum + Number(measures[0]), 0),
          4
        )
      })

      it("replaces the name of a person who was erased", async () => {
        const at = new Date(now).toISOString()
        const users = await run(
          Effect.gen(function* () {
            const account = yield* createAccount(`erasing ${crypto.randomUUID()}`)
            const account_id = account?.account.id ?? ""
            yield* record(account_id, [{ ...event(1), user_id: "dora" }])
            const before = yield* read(account_id, byUser)
            const erasures = yield* Erasures
            const erasure = erasureOf(crypto.randomUUID())
            yield* erasures.start(account_id, erasure, 9)
            const walked = { events: [{ id: "event-1", session_id: null }], last: undefined }
            const person = { kind: "user", name: "dora" } as const
            yield* erasures.advance(account_id, erasure.id, { does: "events", person, walked }, at)
            return [before, yield* read(account_id, byUser)].map((cells) => cells.map(({ keys }) => keys[0]))
          })
        )
        assert.deepEqual(users[0], ["dora"])
        assert.match(users[1]?.[0] ?? "", /^erased-/)
        assert.lengthOf(users[1] ?? [], 1)
      })
    })
})
