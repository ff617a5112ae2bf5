/** What an operation with rate limits answers: headers, and refusals that say when to come back. Rule: requests#rate-limits. */
import { assert, describe, it } from "@effect/vitest"
import { layerMemory } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { getRankingsDaily } from "../../contract/src/rankings.ts"
import type { Caller } from "../../core/src/access/Caller.ts"
import { Uncommitted } from "../../core/src/cache/Freshness.ts"
import {
  consumeNamed,
  consumeRateLimits,
  rateLimitTable,
  rememberingDenials
} from "../../core/src/limits/rateLimits.ts"
import { RequestCounts } from "../../core/src/ports/limits.ts"

const callerOf = (key_hash: string, account_id = "account"): Caller => ({
  account_id,
  key_hash,
  kind: "management",
  workspace_id: null,
  default_workspace_id: null,
  user_id: null,
  is_operator: false,
  restrictions: null
})

interface Told {
  readonly ratelimit?: string
  readonly [name: string]: unknown
}

/** The headers of a request that was let in, and the failure of one that was not. */
const asking = (named: readonly string[], caller: Caller) => {
  const headers: Record<string, string> = {}
  return Effect.match(consumeNamed(named, caller, headers), {
    onSuccess: (): Told => ({ ...headers }),
    onFailure: ({ reason, issues, retryAfterSeconds }): Told => ({ ...headers, reason, issues, retryAfterSeconds })
  })
}

describe("the rate limits of an operation", () => {
  it.effect("are told in the headers of each request, in the order of the table", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-04T23:59:00.400Z"))
      assert.deepStrictEqual(yield* asking(["datasets"], callerOf("one")), {
        "ratelimit-policy": '"minute";q=30;w=60, "day";q=500;w=86400',
        ratelimit: '"minute";r=29;t=60, "day";r=499;t=60'
      })
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(
        (yield* asking(["datasets"], callerOf("one"))).ratelimit,
        '"minute";r=28;t=40, "day";r=498;t=40'
      )
      assert.strictEqual(
        (yield* asking(["datasets"], callerOf("two"))).ratelimit,
        '"minute";r=29;t=60, "day";r=497;t=40',
        "a day is that of the account, a minute that of the key"
      )
      assert.strictEqual(
        (yield* asking(["datasets"], callerOf("one", "another"))).ratelimit,
        '"minute";r=27;t=40, "day";r=499;t=40'
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("count each name by itself, and several together", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asking(["fileDeletion"], callerOf("one")), {
        "ratelimit-policy": '"minute";q=60;w=60',
        ratelimit: '"minute";r=59;t=60'
      })
      assert.deepStrictEqual(yield* asking(["destinationTests", "fileDeletion"], callerOf("one")), {
        "ratelimit-policy": '"minute";q=10;w=60, "minute";q=60;w=60',
        ratelimit: '"minute";r=9;t=60, "minute";r=58;t=60'
      })
      for (const name of ["alertChannelTests", "privateEndpointTests"])
        assert.strictEqual((yield* asking([name], callerOf("two"))).ratelimit, '"minute";r=9;t=60', name)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("refuse a request with what is used up, and count none that they refuse", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 10; count++) {
        yield* TestClock.adjust("1 second")
        assert.notProperty(yield* asking(["destinationTests"], callerOf(`key ${count}`)), "reason")
      }
      const refused = {
        "ratelimit-policy": '"minute";q=10;w=60',
        ratelimit: '"minute";r=0;t=51',
        reason: "rate_limited",
        issues: [
          {
            path: "",
            code: "minute",
            message: "At most 10 of these requests in any 60 s per account; the next one is let in after 51 s"
          }
        ],
        retryAfterSeconds: 51
      }
      assert.deepStrictEqual(yield* asking(["destinationTests"], callerOf("another key")), refused)
      assert.deepStrictEqual(yield* asking(["destinationTests"], callerOf("another key")), refused)
      yield* TestClock.adjust("50999 millis")
      assert.strictEqual((yield* asking(["destinationTests"], callerOf("another key"))).ratelimit, '"minute";r=0;t=1')
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* asking(["destinationTests"], callerOf("another key"))).ratelimit, '"minute";r=0;t=1')
      assert.notProperty(yield* asking(["destinationTests"], callerOf("key", "another account")), "reason")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("refuse until the last of those that are used up is open again, each with its own time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-04T12:00:00.000Z"))
      for (let count = 0; count < 500; count++) yield* asking(["datasets"], callerOf(`key ${count % 25}`))
      for (let count = 0; count < 10; count++) yield* asking(["datasets"], callerOf("key 0"))
      const day = "At most 500 of these requests in a UTC day per account; the next one is let in after 43200 s"
      const refused = yield* asking(["datasets"], callerOf("key 0"))
      assert.deepStrictEqual(refused, {
        "ratelimit-policy": '"minute";q=30;w=60, "day";q=500;w=86400',
        ratelimit: '"minute";r=10;t=60, "day";r=0;t=43200',
        reason: "rate_limited",
        issues: [{ path: "", code: "day", message: day }],
        retryAfterSeconds: 43_200
      })
      yield* TestClock.adjust("12 hours")
      for (let count = 0; count < 470; count++) yield* asking(["datasets"], callerOf(`key ${1 + (count % 20)}`))
      for (let count = 0; count < 30; count++) yield* asking(["datasets"], callerOf("key 0"))
      const minute = "At most 30 of these requests in any 60 s per key; the next one is let in after 60 s"
      const both = yield* asking(["datasets"], callerOf("key 0"))
      assert.deepStrictEqual(both, {
        "ratelimit-policy": '"minute";q=30;w=60, "day";q=500;w=86400',
        ratelimit: '"minute";r=0;t=60, "day";r=0;t=86400',
        reason: "rate_limited",
        issues: [
          { path: "", code: "minute", message: minute },
          { path: "", code: "day", message: day.replace("43200", "86400") }
        ],
        retryAfterSeconds: 86_400
      })
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("are those that it names; one without any counts nothing, and has no headers", () =>
    Effect.gen(function* () {
      const headers: Record<string, string> = {}
      const { rateLimits: _, ...free } = getRankingsDaily
      yield* consumeRateLimits(free, callerOf("one"), headers)
      assert.deepStrictEqual(headers, {})
      yield* consumeRateLimits(getRankingsDaily, callerOf("one"), headers)
      assert.strictEqual(headers["ratelimit"]?.split(";t=")[0], '"minute";r=29')
    }).pipe(Effect.provide(layerMemory))
  )

  it("have a name each within an operation, which the headers tell apart", () => {
    for (const [name, rows] of Object.entries(rateLimitTable))
      assert.lengthOf(new Set(rows.map((row) => row.name)), rows.length, name)
  })
})

describe("an instance that was refused a request", () => {
  /** Counts in memory, and how often it was asked. */
  const counted = Effect.gen(function* () {
    const counts = yield* RequestCounts
    const asked = { times: 0 }
    const counting = RequestCounts.of({
      consume: (quotas) => Effect.suspend(() => (asked.times++, counts.consume(quotas)))
    })
    return { asked, remembering: rememberingDenials(counting) }
  })
  const told = (caller: Caller, counts: typeof RequestCounts.Service) =>
    Effect.provideService(asking(["destinationTests"], caller), RequestCounts, counts)

  it.effect("refuses the next ones itself until one can be let in", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-04T12:00:00.000Z"))
      const { asked, remembering } = yield* counted
      const ask = told(callerOf("one"), remembering)
      for (let count = 0; count < 10; count++) {
        assert.notProperty(yield* ask, "reason")
        yield* TestClock.adjust("1 second")
      }
      const refused = yield* ask
      assert.strictEqual(refused["reason"], "rate_limited")
      assert.strictEqual(refused["retryAfterSeconds"], 50)
      assert.strictEqual(asked.times, 11)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* ask)["retryAfterSeconds"], 30)
      yield* TestClock.adjust("29999 millis")
      assert.strictEqual((yield* ask)["retryAfterSeconds"], 1)
      assert.strictEqual(asked.times, 11)
      // Another account has a count of its own.
      assert.notProperty(yield* told(callerOf("two", "another"), remembering), "reason")
      yield* TestClock.adjust("1 millis")
      assert.notProperty(yield* ask, "reason")
      assert.strictEqual(asked.times, 13)
      assert.strictEqual((yield* ask)["reason"], "rate_limited")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("asks again if its clock was set back, and remembers nothing of a transaction that may be undone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-04T12:00:00.000Z"))
      const { asked, remembering } = yield* counted
      const ask = told(callerOf("one"), remembering)
      for (let count = 0; count < 10; count++) yield* ask
      yield* Effect.provideService(ask, Uncommitted, [])
      yield* ask
      assert.strictEqual(asked.times, 12)
      yield* TestClock.setTime(Date.parse("2026-03-04T11:59:59.000Z"))
      yield* ask
      assert.strictEqual(asked.times, 13)
    }).pipe(Effect.provide(layerMemory))
  )
})
