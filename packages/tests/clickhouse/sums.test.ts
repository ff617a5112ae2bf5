/** Days that are over are read from sums, which are those of all events whatever comes late, again or twice. Rule: analytics#sources. */
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { erasureOf } from "@gatewarden/conformance/internal/stores/accountFixture"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import {
  type Clickhouse,
  insertEvents,
  layerClickhouse,
  migrateClickhouse,
  openClickhouse,
  sumUsage
} from "@gatewarden/clickhouse/internal"
import {
  AnalyticsReader,
  Erasures,
  type HistoryPlace,
  Retention,
  type UsageEvent,
  UsageLog,
  createAccount,
  planQuery,
  traceTags
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { stores } from "@gatewarden/testkit/stores/stores"
import { Context, Effect, Layer, Redacted, Stream } from "effect"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const dayMillis = 86_400_000

class Direct extends Context.Service<Direct, Clickhouse>()("Direct") {}

const event = (day: string, n: number, latency_ms = n / 4): UsageEvent => ({
  ...emptyEvent,
  ...{ id: `event-${day}-${n}`, created_at: `${day}T${String(n % 24).padStart(2, "0")}:10:00.000Z` },
  ...{ recorded_at: new Date(now).toISOString(), model: `acme/model-${n % 3}`, user_id: `user ${n % 5}` },
  ...{ prompt_tokens: n, cost_nanos: BigInt(n) * 1_000n, latency_ms }
})

const events = (day: string, count: number, from = 0) => Array.from({ length: count }, (_, n) => event(day, from + n))

const time_range = { start: "2026-02-26T10:00:00.000Z", end: "2026-03-03T00:00:00.000Z" }

const read = Effect.fnUntraced(function* (account_id: string, query: object) {
  const planned = planQuery(AnalyticsQuery.parse({ time_range, ...query }), now)
  if (!planned.ok) return assert.fail(planned.reason)
  const result = yield* (yield* AnalyticsReader).read(account_id, planned.plan)
  return result === "unknown_classifier" ? assert.fail(result) : result
})

const record = (account_id: string, some: readonly UsageEvent[]) =>
  Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.make(some)))

/** All that is due so many days later. */
const fold = (days: number) =>
  byHand({ now: now + days * dayMillis })(
    Effect.gen(function* () {
      const { foldUsage } = yield* Retention
      while ((yield* foldUsage(1_000)) > 0);
    })
  )

const total = { metrics: ["request_count", "tokens_prompt", "total_usage", "avg_latency"] }
const byModel = { ...total, dimensions: ["model"] }
const byUser = { metrics: ["request_count"], dimensions: ["user"] }

describe("sums of days on ClickHouse", () => {
  const run = storeUnderTest(
    () =>
      Layer.effectContext(
        Effect.gen(function* () {
          const url = Redacted.make(yield* clickhouseDatabase)
          const clickhouse = yield* openClickhouse({ url })
          yield* migrateClickhouse(clickhouse, {})
          const store = yield* Layer.build(layerClickhouse(stores.memory, { url, isUseful: () => true }))
          return Context.merge(store, Context.make(Direct, clickhouse))
        })
      ),
    now
  )

  it("answer what events answer, and are left when something comes late, until they are made again", async () => {
    const account_id = crypto.randomUUID()
    await run(
      Effect.gen(function* () {
        const queries = [total, byModel, byUser, { ...byModel, granularity: "hour" }, { ...total, granularity: "day" }]
        const answers = Effect.forEach(queries, (query) => read(account_id, query))
        yield* record(account_id, [...events("2026-02-27", 30), ...events("2026-03-01", 30)])
        const before = yield* answers
        assert.deepEqual([...new Set(before.map(({ source }) => source))], ["events"])
        yield* fold(1)
        const after = yield* answers
        assert.deepEqual(
          after.map(({ cells }) => cells),
          before.map(({ cells }) => cells)
        )
        assert.deepEqual(
          after.map(({ source }) => source),
          [
            "total: 2 days, 0 hours, 3 ranges of events",
            "model+variant: 2 days, 0 hours, 3 ranges of events",
            "user: 2 days, 0 hours, 3 ranges of events",
            "model+variant: 0 days, 48 hours, 3 ranges of events",
            "total: 2 days, 0 hours, 3 ranges of events"
          ]
        )
        yield* record(account_id, events("2026-03-01", 5, 100))
        const late = yield* read(account_id, total)
        assert.strictEqual(late.source, "total: 1 days, 0 hours, 2 ranges of events")
        assert.strictEqual(late.cells[0]?.measures[0], 65n)
        yield* fold(2)
        const again = yield* read(account_id, total)
        assert.strictEqual(again.source, "total: 2 days, 0 hours, 3 ranges of events")
        assert.deepEqual(again.cells, late.cells)
      })
    )
  })

  it("count an event once that is sent again before, while and after they are made", async () => {
    const account_id = crypto.randomUUID()
    await run(
      Effect.gen(function* () {
        const clickhouse = yield* Direct
        const sent = events("2026-02-28", 20)
        const send = (some: readonly UsageEvent[]) =>
          insertEvents(
            clickhouse,
            some.map((event) => ({ account_id, version: "1", event }))
          )
        yield* send(sent)
        yield* send(sent.slice(5))
        // Something comes between the look at the marks and the sums: what is published is of a day that has changed.
        let isFirst = true
        const meanwhile: Clickhouse = {
          ...clickhouse,
          run: (statement, bound) => {
            const late = isFirst && statement.startsWith("INSERT") ? send(events("2026-02-28", 3, 50)) : Effect.void
            isFirst = false
            return Effect.andThen(clickhouse.run(statement, bound), late)
          }
        }
        const tomorrow = now + dayMillis
        assert.strictEqual(yield* sumUsage(meanwhile, tomorrow, { isUseful: () => true }), 1)
        const between = yield* read(account_id, total)
        assert.strictEqual(between.source, "events")
        assert.strictEqual(between.cells[0]?.measures[0], 23n)
        // Two at once.
        yield* Effect.all(
          [1, 2].map(() => sumUsage(clickhouse, tomorrow, { isUseful: () => true })),
          { concurrency: 2 }
        )
        const summed = yield* read(account_id, total)
        assert.strictEqual(summed.source, "total: 1 days, 0 hours, 2 ranges of events")
        assert.deepEqual(summed.cells, between.cells)
        yield* send(sent)
        assert.deepEqual((yield* read(account_id, total)).cells, between.cells)
        assert.strictEqual(yield* sumUsage(clickhouse, tomorrow, { isUseful: () => true }), 1)
        assert.deepEqual((yield* read(account_id, total)).cells, between.cells)
      })
    )
  })

  it("lose the name of a person with all events, also with those that are here alone", async () => {
    await run(
      Effect.gen(function* () {
        const clickhouse = yield* Direct
        const account = yield* createAccount(`erasing ${crypto.randomUUID()}`)
        const account_id = account?.account.id ?? ""
        const named = events("2026-02-28", 9).map((event, n) => ({
          ...event,
          ...{ user_id: n < 3 ? "dora" : "emil", session_id: `session ${n % 2}`, trace: { tags: ["dora's"] } },
          classifiers: { topic: { area: "a" }, [traceTags]: { "dora's": "true" } }
        }))
        // As if the other store had dropped these.
        yield* insertEvents(
          clickhouse,
          named.slice(1).map((event) => ({ account_id, version: "7", event }))
        )
        yield* record(account_id, named.slice(0, 1))
        yield* read(account_id, byUser)
        yield* fold(5)
        const users = Effect.map(read(account_id, byUser), ({ cells, source }) => ({
          users: cells.map(({ keys, measures }) => [keys[0], measures[0]]),
          source
        }))
        const source = "user: 1 days, 0 hours, 2 ranges of events"
        assert.deepEqual(yield* users, {
          users: [
            ["emil", 6n],
            ["dora", 3n]
          ],
          source
        })
        const erasures = yield* Erasures
        const erasure = erasureOf(crypto.randomUUID())
        yield* erasures.start(account_id, erasure, 9)
        const person = { kind: "user", name: "dora" } as const
        const at = new Date(now).toISOString()
        // In stretches of two.
        for (let place: HistoryPlace | undefined, isDone = false; !isDone;) {
          const walked = yield* erasures.walk(account_id, person, place, 2)
          const pseudonymous = walked.events.map(({ id, session_id }) => ({ id, session_id: `of ${session_id}` }))
          yield* erasures.advance(
            account_id,
            erasure.id,
            { does: "events", person, walked: { ...walked, events: pseudonymous } },
            at
          )
          place = walked.last
          isDone = place === undefined
        }
        const pseudonym = erasure.pseudonym
        const expected = [
          ["emil", 6n],
          [pseudonym, 3n]
        ]
        assert.deepEqual(yield* users, { users: expected, source: "events" })
        yield* erasures.advance(account_id, erasure.id, { does: "rows", person, atMost: 500 }, at)
        assert.deepEqual((yield* users).users, expected)
        const own = { account_id }
        const left = yield* clickhouse.rows(
          `SELECT count() FROM (
            SELECT user_id FROM gatewarden_usage_event WHERE account_id = {account_id:String} AND user_id = 'dora'
            UNION ALL SELECT user_id FROM gatewarden_usage_cell WHERE account_id = {account_id:String} AND user_id = 'dora'
          )`,
          own
        )
        assert.deepEqual(left, [["0"]])
        const rows = yield* clickhouse.rows(
          `SELECT session_id, trace, classifiers FROM gatewarden_usage_event FINAL
          WHERE account_id = {account_id:String} AND user_id != 'emil' ORDER BY created_at`,
          own
        )
        const topic = '{"topic":{"area":"a"}}'
        assert.deepEqual(rows, [
          ["of session 0", null, topic],
          ["of session 1", null, topic],
          ["of session 0", null, topic]
        ])
        yield* fold(7)
        assert.deepEqual(yield* users, { users: expected, source })
      })
    )
  })

  it("have exact percentiles of few values, and of many within 1 %", async () => {
    const account_id = crypto.randomUUID()
    const spread = (day: string, count: number) =>
      Array.from({ length: count }, (_, n) =>
        event(day, n, Math.round(10 ** (((n * 7919) % count) / (count / 4)) * 1_000) / 1_000)
      )
    const query = { metrics: ["p50_latency", "p90_latency", "p99_latency"], granularity: "day" }
    await run(
      Effect.gen(function* () {
        const [few, many] = [spread("2026-02-28", 600), spread("2026-03-02", 2_000)]
        yield* record(account_id, [...few, ...many])
        yield* read(account_id, query)
        yield* fold(9)
        const { cells, source } = yield* read(account_id, query)
        assert.strictEqual(source, "total: 2 days, 0 hours, 2 ranges of events")
        const rank = (some: readonly UsageEvent[], percent: number) =>
          some.map(({ latency_ms }) => latency_ms ?? 0).toSorted((a, b) => a - b)[
            Math.ceil((some.length * percent) / 100) - 1
          ] ?? Number.NaN
        const percents = [50, 90, 99]
        const [last, first] = cells.map(({ measures }) => measures.map(Number))
        assert.deepEqual(
          first,
          percents.map((percent) => rank(few, percent))
        )
        for (const [index, percent] of percents.entries())
          assert.approximately((last?.[index] ?? 0) / rank(many, percent), 1, 0.01)
      })
    )
  })
})
