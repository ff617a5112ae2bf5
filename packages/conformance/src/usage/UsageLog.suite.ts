/** Holds a store to what recording promises: all or nothing, each id once, visible at once, and nobody waits for a slow client. */
import {
  AnalyticsReader,
  ApiKeys,
  Generations,
  KeyUsageReader,
  Retention,
  type StorePorts,
  type AccountEvents,
  type UsageEvent,
  UsageHistory,
  UsageLog,
  createAccount,
  newApiKey,
  noUsage,
  planQuery
} from "@gatewarden/core/internal"
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option, Stream } from "effect"
import * as fc from "fast-check"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { emptyEvent } from "./emptyEvent.ts"
import type { HandClock } from "../HandClock.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const event = (id: string, prompt_tokens: number): UsageEvent => ({
  ...emptyEvent,
  id,
  prompt_tokens,
  created_at: "2026-03-04T11:00:00.000Z",
  recorded_at: "2026-03-04T12:00:00.000Z",
  model: "acme/sonnet",
  input_modalities: ["text", 'a "quoted", {braced} \\ one'],
  output_modalities: [],
  trace: { nested: ['"', "\\", "{}"] }
})

const chunk = (first: number, last: number, prompt_tokens = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => event(`event-${first + index}`, prompt_tokens))

const query = AnalyticsQuery.parse({ metrics: ["request_count", "tokens_prompt"] })

/** Events and their prompt tokens. */
const recorded = Effect.fnUntraced(function* (account_id: string) {
  const planned = planQuery(query, now)
  if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
  const result = yield* (yield* AnalyticsReader).read(account_id, planned.plan)
  return result === "unknown_classifier" ? [] : result.cells[0]?.measures
})

export const usageLogSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  keptUsageSuite(name, makeStore)
  describe(`recording usage on ${name}`, () => {
    const run = storeUnderTest(makeStore, now)
    const record = <E>(account_id: string, chunks: Stream.Stream<readonly UsageEvent[], E>) =>
      Effect.flatMap(UsageLog, (log) => log.record(account_id, chunks))

    it("records many chunks, the first event of an id counting", async () => {
      const account = crypto.randomUUID()
      const chunks = Stream.make(chunk(1, 100, 2), chunk(51, 150, 3), [], chunk(1, 10, 5), chunk(151, 151, 7))
      assert.deepEqual(await run(record(account, chunks)), { accepted: 151, duplicates: 60 })
      assert.deepEqual(await run(recorded(account)), [151n, 100n * 2n + 50n * 3n + 7n])
      assert.deepEqual(await run(record(account, Stream.make(chunk(151, 152, 9), chunk(1, 1)))), {
        accepted: 1,
        duplicates: 2
      })
    })

    it("records events of several accounts together, each id once in its account, or none of them", async () => {
      const [a, b, c] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
      const recordAll = <E>(...chunks: readonly Stream.Stream<readonly AccountEvents[], E>[]) =>
        Effect.flatMap(UsageLog, (log) => log.recordAll(chunks.reduce((before, next) => Stream.concat(before, next))))
      const of = (account_id: string, events: readonly UsageEvent[]): AccountEvents => ({ account_id, events })
      const one = Stream.make([of(b, chunk(1, 10, 2)), of(a, chunk(1, 5)), of(c, []), of(b, chunk(8, 12, 3))])
      assert.deepEqual(await run(recordAll(one)), { accepted: 17, duplicates: 3 })
      assert.deepEqual(await run(recorded(a)), [5n, 5n])
      assert.deepEqual(await run(recorded(b)), [12n, 26n])
      const many = Stream.make([of(c, chunk(1, 3))], [], [of(a, chunk(4, 8)), of(c, chunk(3, 4))], [of(b, chunk(1, 1))])
      assert.deepEqual(await run(recordAll(many)), { accepted: 7, duplicates: 4 })
      assert.deepEqual(await run(recorded(c)), [4n, 4n])
      const failing = Stream.fail("broke off" as const)
      for (const before of [one, many])
        assert.strictEqual(await run(Effect.flip(recordAll(before, failing))), "broke off")
      assert.deepEqual(await run(recorded(a)), [8n, 8n])
      // Locked in one order, whatever order they come in.
      const crossing = Array.from({ length: 8 }, (_, at) => {
        const groups = [of(a, chunk(101 + at, 101 + at)), of(b, chunk(101 + at, 101 + at))]
        return recordAll(Stream.make(at % 2 === 0 ? groups : groups.toReversed()))
      })
      const answers = await run(Effect.all(crossing, { concurrency: "unbounded" }))
      assert.deepEqual(
        answers,
        Array.from({ length: 8 }, () => ({ accepted: 2, duplicates: 0 }))
      )
    })

    it("records nothing of a stream that fails", async () => {
      const account = crypto.randomUUID()
      for (const chunks of [
        [chunk(1, 10)],
        [chunk(1, 10), chunk(11, 20)],
        [chunk(1, 10), chunk(11, 20), chunk(21, 30)]
      ]) {
        const failing = Stream.concat(Stream.fromIterable(chunks), Stream.fail("broke off" as const))
        assert.strictEqual(await run(Effect.flip(record(account, failing))), "broke off")
      }
      assert.deepEqual(await run(recorded(account)), [0n, 0n])
      assert.deepEqual(await run(record(account, Stream.make(chunk(1, 10)))), { accepted: 10, duplicates: 0 })
    })

    it("is open to others while a stream is slow, and records nothing of one that is given up", async () => {
      const [slow, other] = [crypto.randomUUID(), crypto.randomUUID()]
      await run(
        Effect.gen(function* () {
          const more = yield* Deferred.make<void>()
          const slowly = Effect.fnUntraced(function* () {
            const reached = yield* Deferred.make<void>()
            const rest = Deferred.succeed(reached, undefined).pipe(
              Effect.andThen(Deferred.await(more)),
              Effect.as(chunk(31, 40))
            )
            const chunks = Stream.concat(
              Stream.make(chunk(1, 10), chunk(11, 20), chunk(21, 30)),
              Stream.fromEffect(rest)
            )
            const fiber = yield* Effect.forkChild(record(slow, chunks))
            yield* Deferred.await(reached)
            return fiber
          })
          const given = yield* slowly()
          const finished = yield* slowly()
          assert.deepEqual(yield* record(other, Stream.make(chunk(1, 5), chunk(6, 9))), { accepted: 9, duplicates: 0 })
          assert.deepEqual(yield* recorded(slow), [0n, 0n])
          assert.deepEqual(yield* recorded(other), [9n, 9n])
          yield* Fiber.interrupt(given)
          yield* Deferred.succeed(more, undefined)
          assert.deepEqual(yield* Fiber.join(finished), { accepted: 40, duplicates: 0 })
          assert.deepEqual(yield* recorded(slow), [40n, 40n])
        })
      )
    })

    it("counts each id once, however many record it at the same time", async () => {
      const account = crypto.randomUUID()
      const ids = chunk(1, 300)
      const reversed = ids.toReversed()
      const orders = [ids, reversed, ids, reversed, ids, reversed, ids, reversed]
      const answers = await run(
        Effect.all(
          orders.map((events, index) =>
            record(account, index < 4 ? Stream.make(events) : Stream.make(events.slice(0, 150), events.slice(150)))
          ),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(
        answers.reduce((sum, { accepted }) => sum + accepted, 0),
        300
      )
      assert.strictEqual(
        answers.reduce((sum, { duplicates }) => sum + duplicates, 0),
        300 * 7
      )
      assert.deepEqual(await run(recorded(account)), [300n, 300n])
    })

    describe("what adjusts a request", () => {
      const stated = (id: string, adjusts: string, prompt_tokens: number, cost_nanos = 0n): UsageEvent => ({
        ...event(id, prompt_tokens),
        ...{ adjusts, cost_nanos, trace: null }
      })
      const request = { ...event("request", 10), cost_nanos: 100n }
      const spending = Effect.fnUntraced(function* (account_id: string) {
        const planned = planQuery(
          AnalyticsQuery.parse({ metrics: ["request_count", "tokens_prompt", "total_usage"] }),
          now
        )
        if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
        const result = yield* (yield* AnalyticsReader).read(account_id, planned.plan)
        return result === "unknown_classifier" ? [] : result.cells[0]?.measures
      })

      it("is recorded as the difference, once, and is no request", async () => {
        const account = crypto.randomUUID()
        await run(record(account, Stream.make([request])))
        const down = Stream.make([stated("a1", "request", 4, 30n)])
        assert.deepEqual(await run(record(account, down)), { accepted: 1, duplicates: 0 })
        assert.deepEqual(await run(spending(account)), [1n, 4n, 30n])
        assert.deepEqual(await run(record(account, down)), { accepted: 0, duplicates: 1 })
        // The same numbers again, and others: both count against what counts already.
        await run(record(account, Stream.make([stated("a2", "request", 4, 30n)])))
        assert.deepEqual(await run(spending(account)), [1n, 4n, 30n])
        await run(record(account, Stream.make([stated("a3", "request", 12, 120n)], [stated("a4", "request", 0)])))
        assert.deepEqual(await run(spending(account)), [1n, 0n, 0n])
      })

      it("follows the requests of its report, and needs one", async () => {
        const account = crypto.randomUUID()
        const chunks = Stream.make([stated("a0", "request", 1)], chunk(1, 3), [request, stated("b0", "nothing", 5)])
        assert.deepEqual(await run(record(account, chunks)), { accepted: 5, duplicates: 1 })
        assert.deepEqual(await run(spending(account)), [4n, 4n, 0n])
        // An adjustment is no request either.
        assert.deepEqual(await run(record(account, Stream.make([stated("c0", "a0", 7)]))), {
          accepted: 0,
          duplicates: 1
        })
        const found = await run(
          Effect.flatMap(UsageLog, (log) => log.requestsOf(account, ["request", "a0", "nothing"]))
        )
        assert.deepEqual([...found], [["request", request]])
      })

      it("counts once against the others, however many state it at the same time", async () => {
        const account = crypto.randomUUID()
        await run(record(account, Stream.make([request])))
        await run(
          Effect.all(
            Array.from({ length: 12 }, (_, n) => record(account, Stream.make([stated(`a${n}`, "request", 3, 7n)]))),
            { concurrency: "unbounded" }
          )
        )
        assert.deepEqual(await run(spending(account)), [1n, 3n, 7n])
      })

      it(
        "makes any requests count for what was stated last, in sums and in spending",
        { timeout: 120_000 },
        async () => {
          const amounts = { tokens: fc.nat({ max: 50 }), cost: fc.nat({ max: 9 }), byok: fc.nat({ max: 9 }) }
          const arbitrary = fc.record({
            requests: fc.array(fc.record(amounts), { minLength: 1, maxLength: 4 }),
            reports: fc.array(fc.array(fc.record({ of: fc.nat({ max: 3 }), ...amounts }), { maxLength: 4 }), {
              maxLength: 4
            })
          })
          const key = "a".repeat(64)
          await fc.assert(
            fc.asyncProperty(arbitrary, async ({ requests, reports }) => {
              const account = crypto.randomUUID()
              const counted = requests.map((one) => one)
              const eventOf = (
                id: string,
                adjusts: string | null,
                { tokens, cost, byok }: (typeof requests)[number]
              ) => ({
                ...event(id, tokens),
                ...{ adjusts, api_key_hash: key, cost_nanos: BigInt(cost), byok_cost_nanos: BigInt(byok) }
              })
              const sent = requests.map((one, index) => eventOf(`e${index}`, null, one))
              await run(record(account, Stream.make(sent)))
              for (const [at, report] of reports.entries()) {
                const stated = report.map(({ of, ...one }, index) => {
                  counted[of % counted.length] = one
                  return eventOf(`a${at}-${index}`, `e${of % counted.length}`, one)
                })
                assert.deepEqual(await run(record(account, Stream.make(stated))), {
                  accepted: stated.length,
                  duplicates: 0
                })
              }
              const sum = (part: (one: (typeof requests)[number]) => number) =>
                BigInt(counted.reduce((all, one) => all + part(one), 0))
              assert.deepEqual(await run(spending(account)), [
                ...[BigInt(requests.length), sum(({ tokens }) => tokens), sum(({ cost, byok }) => cost + byok)]
              ])
              const used = await run(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account, [key])))
              const { credits, byok } = used.get(key) ?? noUsage
              assert.deepEqual([credits.total, byok.total], [sum(({ cost }) => cost), sum(({ byok }) => byok)])
            }),
            { numRuns: 25 }
          )
        }
      )

      it("is exported with its request, and counted with it", async () => {
        const account = crypto.randomUUID()
        const cost_components = { usage_web: 40n }
        await run(record(account, Stream.make([{ ...request, cost_components }, event("other", 1)])))
        await run(record(account, Stream.make([{ ...stated("a1", "request", 6, 50n), byok_cost_nanos: 2n }])))
        const filter = { start: undefined, end: "2100-01-01T00:00:00.000Z", equal: {}, tag: undefined }
        const place = { created_at: "2100-01-01T00:00:00.000Z", id: "" }
        const [page, events, uses, generation, none, apart, first] = await run(
          Effect.gen(function* () {
            const history = yield* UsageHistory
            const generations = yield* Generations
            return [
              yield* history.pageAfter(account, filter, undefined, { limit: 2, examined: 10 }),
              yield* history.eventsBetween(account, filter, undefined, place),
              yield* history.after(account, { start: "2000-01-01T00:00:00.000Z", end: filter.end }, undefined, 10),
              yield* generations.find(account, "request"),
              yield* generations.find(account, "a1"),
              yield* history.eventsBetween(account, { ...filter, apart: true }, undefined, place),
              yield* history.pageAfter(account, { ...filter, apart: true }, undefined, { limit: 2, examined: 10 })
            ] as const
          })
        )
        assert.isFalse(page.goesOn)
        const counted = { ...request, prompt_tokens: 6, cost_nanos: 50n, byok_cost_nanos: 2n }
        assert.deepEqual(events, [event("other", 1), { ...counted, cost_components: { usage_web: 0n } }])
        assert.deepEqual(
          uses.map(({ id, cost_nanos, byok_cost_nanos }) => [id, cost_nanos, byok_cost_nanos]),
          [
            ["other", 0n, 0n],
            ["request", 50n, 2n]
          ]
        )
        assert.deepInclude(Option.getOrThrow(generation), { prompt_tokens: 6, cost_nanos: 50n, byok_cost_nanos: 2n })
        assert.isTrue(Option.isNone(none))
        assert.deepEqual(
          apart.map(({ id, adjusts, prompt_tokens, cost_nanos }) => [id, adjusts, prompt_tokens, cost_nanos]),
          [
            ["a1", "request", 6 - request.prompt_tokens, 50n - request.cost_nanos],
            ["other", null, 1, 0n],
            ["request", null, request.prompt_tokens, request.cost_nanos]
          ]
        )
        assert.isTrue(first.goesOn)
      })
    })

    it("counts an id once, whatever instants its repetitions name, and each event in its own day", async () => {
      const account = crypto.randomUUID()
      const at = (id: string, created_at: string): UsageEvent => ({ ...event(id, 1), created_at })
      // Today and tomorrow, the day before a month's first, a leap day, and times long before there was such a thing.
      const days = ["2026-03-04", "2026-03-05", "2026-02-28", "2024-02-29", "2019-12-31", "1970-01-01", "0000-12-31"]
      const instants = days.map((day) => `${day}T23:59:59.999Z`)
      const first = instants.map((created_at, n) => at(`of ${n}`, created_at))
      assert.deepEqual(await run(record(account, Stream.make(first))), { accepted: days.length, duplicates: 0 })
      const again = instants.flatMap((created_at) => instants.map((_, n) => at(`of ${n}`, created_at)))
      const again2 = Stream.make(again.slice(0, 10), again.slice(10))
      assert.deepEqual(await run(record(account, Stream.make(again))), { accepted: 0, duplicates: again.length })
      assert.deepEqual(await run(record(account, again2)), { accepted: 0, duplicates: again.length })
      const twice = Stream.make([at("twice", instants[0] ?? ""), at("twice", instants[2] ?? "")])
      assert.deepEqual(await run(record(account, twice)), { accepted: 1, duplicates: 1 })
      // Each writer names another day for the same ids, some in other orders.
      const writers = instants.map((created_at, nth) => {
        const events = Array.from({ length: 50 }, (_, n) => at(`both ${n}`, created_at))
        return record(account, Stream.make(nth % 2 === 0 ? events : events.toReversed()))
      })
      const answers = await run(Effect.all(writers, { concurrency: "unbounded" }))
      assert.strictEqual(
        answers.reduce((sum, { accepted }) => sum + accepted, 0),
        50
      )
      const found = await run(
        Effect.flatMap(Generations, (port) => Effect.forEach(first, ({ id }) => port.find(account, id)))
      )
      assert.deepEqual(
        found.map((one) => Option.getOrThrow(one).created_at),
        instants
      )
      const daily = AnalyticsQuery.parse({
        metrics: ["request_count"],
        granularity: "day",
        time_range: { start: "2026-02-01T00:00:00Z", end: "2026-03-06T00:00:00Z" }
      })
      const read = await run(
        Effect.gen(function* () {
          const planned = planQuery(daily, now)
          if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
          return yield* (yield* AnalyticsReader).read(account, planned.plan)
        })
      )
      const spread = read === "unknown_classifier" ? [] : read.cells.map(({ time }) => time)
      for (const day of ["2026-03-04", "2026-02-28"]) assert.include(spread, Date.parse(day))
    })

    it("knows whose the account's own keys are", async () => {
      const found = await run(
        Effect.gen(function* () {
          const made = yield* createAccount(`usage-${crypto.randomUUID()}`)
          if (made === undefined) return yield* Effect.die(new Error("account exists"))
          const account_id = made.account.id
          const key = yield* newApiKey({
            kind: "normal",
            account_id,
            workspace_id: made.workspace.id,
            name: "key",
            user_id: "user-7",
            external_user: "customer-7"
          })
          yield* (yield* ApiKeys).insert(key.record)
          const management = (yield* (yield* ApiKeys).list(account_id, { kind: "management" }))[0]
          const log = yield* UsageLog
          const hashes = [key.record.hash, management?.hash ?? "", "f".repeat(64), 'odd"\\{},']
          return {
            expected: [
              [
                key.record.hash,
                {
                  account_id,
                  workspace_id: made.workspace.id,
                  user_id: "user-7",
                  external_user: "customer-7",
                  hash: key.record.hash,
                  name: "key"
                }
              ] as const
            ],
            own: [...(yield* log.keysOf(account_id, hashes))],
            ofAny: [...(yield* log.keysOf(undefined, hashes))],
            foreign: [...(yield* log.keysOf(crypto.randomUUID(), hashes))]
          }
        })
      )
      assert.deepEqual<unknown>(found.own, found.expected)
      assert.deepEqual<unknown>(found.ofAny, found.expected)
      assert.deepEqual(found.foreign, [])
    })
  })
}

/** Days of usage that are dropped: nothing of them counts twice while their ids are known. */
const keptUsageSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`keeping usage for some days on ${name}`, () => {
    const hand: HandClock = { now }
    const run = storeUnderTest(makeStore, hand)
    const days = 35
    const account = crypto.randomUUID()
    const key = "b".repeat(64)
    const at = (id: string, created_at: string): UsageEvent => ({
      ...event(id, 1),
      created_at,
      api_key_hash: key,
      cost_nanos: 5n
    })
    const record = (...events: readonly UsageEvent[]) =>
      run(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.make(events))))
    const untilDone = (work: (retention: typeof Retention.Service) => Effect.Effect<number>) =>
      run(
        Effect.gen(function* () {
          let done = 0
          for (let more = -1; more !== 0; done += more) more = yield* work(yield* Retention)
          return done
        })
      )
    const ranked = 1_100 * 86_400
    const keep = (kept: number | undefined) => untilDone((retention) => retention.keepUsage(kept, ranked, 10))
    const finds = (id: string) =>
      run(
        Effect.map(
          Effect.flatMap(Generations, (port) => port.find(account, id)),
          Option.isSome
        )
      )

    it("drops days before it, and takes what comes of them for repetitions", async () => {
      const [old, kept] = ["2025-12-31T23:59:59.999Z", "2026-03-01T00:00:00.000Z"]
      assert.deepEqual(await record(at("old", old), at("kept", kept)), { accepted: 2, duplicates: 0 })
      await keep(undefined)
      assert.isTrue(await finds("old"), "without a number of days, all stay")
      await untilDone((retention) => retention.foldRankings(100, ranked))
      await untilDone((retention) => retention.foldUsage(1_000))
      assert.isAbove(await keep(days), 0)
      assert.isFalse(await finds("old"))
      assert.isTrue(await finds("kept"))
      // Itself, itself at another time, and another one of the day.
      const repeated = await record(at("old", old), at("old", kept), at("new of old", old), at("kept", old))
      assert.deepEqual(repeated, { accepted: 0, duplicates: 4 })
      const known = await run(Effect.flatMap(UsageLog, (log) => log.recordedOf(account, ["old", "kept", "new of old"])))
      assert.deepEqual([...known].sort(), ["kept", "old"])
      assert.deepEqual(await record(at("new", kept)), { accepted: 1, duplicates: 0 })
      // What was spent stays.
      const usage = await run(Effect.flatMap(KeyUsageReader, (reader) => reader.usageOf(account, [key])))
      assert.strictEqual(usage.get(key)?.credits.total, 15n)
    })

    it("forgets the ids of dropped days when as many days have passed again", async () => {
      hand.now += 7 * 86_400_000
      await untilDone((retention) => retention.foldUsage(1_000))
      await keep(days)
      assert.deepEqual(await record(at("old", "2026-03-02T00:00:00.000Z")), { accepted: 0, duplicates: 1 })
      hand.now += 86_400_000
      await keep(days)
      assert.deepEqual(await record(at("old", "2026-03-02T00:00:00.000Z")), { accepted: 1, duplicates: 0 })
      assert.deepEqual(await record(at("old", "2025-12-31T23:59:59.999Z")), { accepted: 0, duplicates: 1 })
      assert.strictEqual(await keep(days), 0)
    })
  })
}
