/** The history of a store, copied to ClickHouse a piece at a time. */
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { migrateClickhouse, moveUsage, openClickhouse } from "@gatewarden/clickhouse/internal"
import { type UsageEvent, UsageLog, createAccount } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { everyStore } from "@gatewarden/testkit/stores/stores"
import { Effect, Layer, Redacted, Stream } from "effect"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const event = (n: number): UsageEvent => ({
  ...emptyEvent,
  id: `event-${n}`,
  created_at: new Date(now - (n % 977) * 60_000).toISOString(),
  recorded_at: new Date(now).toISOString(),
  model: "acme/a",
  prompt_tokens: n
})

describe("moving usage", () => {
  for (const [kind, store] of everyStore)
    it.live(`copies each event of ${kind} once, goes on where it was interrupted, and leaves nothing out`, () =>
      Effect.gen(function* () {
        const ports = yield* Layer.build(store)
        const clickhouse = yield* openClickhouse({ url: Redacted.make(yield* clickhouseDatabase) })
        yield* migrateClickhouse(clickhouse, {})
        const record = (account_id: string, numbers: readonly number[]) =>
          Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.make(numbers.map(event))))
        const numbers = Array.from({ length: 5_200 }, (_, index) => index)
        yield* Effect.gen(function* () {
          const accounts = yield* Effect.forEach(["one", "two", "three"], (name) =>
            createAccount(`${name} ${crypto.randomUUID()}`)
          )
          const [one = "", two = ""] = accounts.map((made) => made?.account.id)
          yield* record(one, numbers)
          yield* record(two, [1, 2, 3])
          // A piece, and then another process.
          const first = yield* moveUsage(clickhouse, ports)
          assert.isFalse(first.isDone)
          // Behind where the copy is: it waits for its turn.
          yield* record(one, [999_977])
          let moved = first.events
          for (let more = yield* moveUsage(clickhouse, ports); !more.isDone; more = yield* moveUsage(clickhouse, ports))
            moved += more.events
          assert.isAtLeast(moved, numbers.length + 3)
          assert.deepEqual(yield* moveUsage(clickhouse, ports), { events: 0, isDone: true })
          const count = (account_id: string) =>
            Effect.map(
              clickhouse.rows(
                `SELECT count(), sum(prompt_tokens) FROM gatewarden_usage_event FINAL WHERE account_id = {account_id:String}`,
                { account_id }
              ),
              ([row]) => row
            )
          const waiting = yield* (yield* UsageLog).outgoing(10)
          assert.deepEqual(
            waiting.map(({ event }) => event?.id),
            ["event-999977"]
          )
          const there = (yield* count(one))?.map(Number)
          const sum = numbers.reduce((sum, n) => sum + n, 0)
          assert.deepInclude(
            [
              [numbers.length, sum],
              [numbers.length + 1, sum + 999_977]
            ],
            there
          )
          assert.deepEqual(yield* count(two), ["3", "6"])
        }).pipe(Effect.provideContext(ports), byHand({ now }))
      }).pipe(Effect.scoped)
    )
})
