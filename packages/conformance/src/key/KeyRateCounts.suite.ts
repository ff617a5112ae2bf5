/** Holds rate limits of keys to the in-memory reference, and to their figures however many ask at once. */
import { KeyRateCounts, Retention, type StorePorts } from "@gatewarden/core/store"
import { layerMemory } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { HandClock } from "../HandClock.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const keys = ["a".repeat(64), "b".repeat(64)]
const limit = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 3 })

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("admit" as const),
      key: fc.constantFrom(...keys),
      limits: fc.record({
        requests_per_minute: limit,
        tokens_per_minute: fc.option(fc.integer({ min: 0, max: 300 }), { freq: 2 }),
        parallel_requests: limit
      }),
      tokens: fc.nat({ max: 120 }),
      seconds: fc.constantFrom(30, 90)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("finish" as const), nth: fc.nat(5), tokens: fc.option(fc.nat(200)) })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("renew" as const, "withdraw" as const), nth: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("look" as const), key: fc.constantFrom(...keys) })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      millis: fc.constantFrom(1, 15_000, 29_999, 30_000, 60_000)
    })
  }
)

export const keyRateCountsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`rates of keys: ${name}`, () => {
    const clock: HandClock = { now: Date.parse("2026-03-01T23:59:30.000Z") }
    const tried = storeUnderTest(makeStore, clock)
    const reference = storeUnderTest(() => layerMemory, clock)
    const rates = <A>(use: (rates: KeyRateCounts["Service"]) => Effect.Effect<A>) => Effect.flatMap(KeyRateCounts, use)

    it("answers as the reference does", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: "max" }), async (steps) => {
          const account_id = crypto.randomUUID()
          const admissions: string[] = []
          const both = async <A>(use: (rates: KeyRateCounts["Service"]) => Effect.Effect<A>) =>
            assert.deepEqual(await tried(rates(use)), await reference(rates(use)))
          for (const one of steps) {
            if (one.kind === "wait") clock.now += one.millis
            else if (one.kind === "look") await both((rates) => rates.use(account_id, one.key))
            else if (one.kind === "admit") {
              const { key: key_hash, limits, tokens, seconds: hold_seconds } = one
              const admission_id = `${account_id}/${admissions.length}`
              admissions.push(admission_id)
              await both((rates) => rates.admit(account_id, { admission_id, key_hash, limits, tokens, hold_seconds }))
            } else {
              const id = admissions.at(-1 - one.nth) ?? "nothing"
              if (one.kind === "finish") await both((rates) => rates.finish(account_id, id, one.tokens ?? undefined))
              else if (one.kind === "renew") await both((rates) => rates.renew(account_id, id, 45))
              else await both((rates) => rates.withdraw(account_id, id))
            }
          }
        }),
        { numRuns: 40 }
      )
    }, 120_000)

    it("counts an admission for its minute, though retention sweeps as soon as it has ended", async () => {
      const account_id = crypto.randomUUID()
      const admission_id = crypto.randomUUID()
      const [key_hash = ""] = keys
      const limits = { requests_per_minute: 1, tokens_per_minute: null, parallel_requests: null }
      const asked = { admission_id, key_hash, limits, tokens: 7, hold_seconds: 30 }
      assert.isTrue((await tried(rates((rates) => rates.admit(account_id, asked)))).admitted)
      await tried(rates((rates) => rates.finish(account_id, admission_id, 7)))
      const swept = async () => {
        await tried(Effect.flatMap(Retention, (retention) => retention.sweep("key_admissions", 0, 1_000)))
        const { requests, tokens } = await tried(rates((rates) => rates.use(account_id, key_hash)))
        return [requests, tokens]
      }
      clock.now += 59_999
      assert.deepStrictEqual(await swept(), [1, 7])
      clock.now += 2
      assert.deepStrictEqual(await swept(), [0, 0])
    })

    it("admits exactly as many as a limit says, however many ask at once", async () => {
      const limits = { requests_per_minute: 40, tokens_per_minute: 350, parallel_requests: 30 }
      const account_id = crypto.randomUUID()
      const ask = (tokens: number) => (rates: KeyRateCounts["Service"]) =>
        Effect.forEach(
          Array.from({ length: 100 }),
          () =>
            rates.admit(account_id, {
              admission_id: crypto.randomUUID(),
              key_hash: keys[0] ?? "",
              limits,
              tokens,
              hold_seconds: 30
            }),
          { concurrency: "unbounded" }
        )
      const admitted = async (tokens: number) =>
        (await tried(rates(ask(tokens)))).filter((outcome) => outcome.admitted).length
      // Thirty run at a time; once they have expired, five tokens each are left for ten more, and forty is the minute's number.
      assert.strictEqual(await admitted(10), 30)
      clock.now += 30_000
      assert.strictEqual(await admitted(5), 10)
      assert.strictEqual(await admitted(0), 0)
      // The first thirty have left the minute, the ten have not.
      clock.now += 30_000
      assert.strictEqual(await admitted(0), 30)
    })
  })
}
