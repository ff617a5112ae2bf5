/** Holds rate limits of keys to the in-memory reference, and to their figures however many ask at once. */
import { KeyRates, layerMemory, LedgerClock, type StorePorts } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Clock, type Context, Effect, Exit, Layer, Scope } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll } from "vitest"

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
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      millis: fc.constantFrom(1, 15_000, 29_999, 30_000, 60_000)
    })
  }
)

export const keyRatesSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`rates of keys: ${name}`, () => {
    let now = Date.parse("2026-03-01T23:59:30.000Z")
    const real = Clock.Clock.defaultValue()
    const clock = {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
      sleep: (duration) => real.sleep(duration)
    } as Clock.Clock
    const scope = Scope.makeUnsafe()
    let tried: Context.Context<StorePorts>
    let reference: Context.Context<StorePorts>
    beforeAll(async () => {
      const build = (layer: Layer.Layer<StorePorts, unknown>) =>
        Effect.runPromise(Scope.provide(Layer.build(layer), scope))
      tried = await build(makeStore())
      reference = await build(layerMemory)
    })
    afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

    const on = <A>(
      services: Context.Context<StorePorts>,
      use: (rates: KeyRates["Service"]) => Effect.Effect<A>
    ): Promise<A> =>
      Effect.runPromise(
        Effect.flatMap(KeyRates, use).pipe(
          Effect.provideContext(services),
          Effect.provideService(Clock.Clock, clock),
          Effect.provideService(LedgerClock, "service")
        )
      )

    it("answers as the reference does", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: "max" }), async (steps) => {
          const account_id = crypto.randomUUID()
          const admissions: string[] = []
          const both = async <A>(use: (rates: KeyRates["Service"]) => Effect.Effect<A>) =>
            assert.deepEqual(await on(tried, use), await on(reference, use))
          for (const one of steps) {
            if (one.kind === "wait") now += one.millis
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

    it("admits exactly as many as a limit says, however many ask at once", async () => {
      const limits = { requests_per_minute: 40, tokens_per_minute: 350, parallel_requests: 30 }
      const account_id = crypto.randomUUID()
      const ask = (tokens: number) => (rates: KeyRates["Service"]) =>
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
        (await on(tried, ask(tokens))).filter((outcome) => outcome.admitted).length
      // Thirty run at a time; once they have expired, five tokens each are left for ten more, and forty is the minute's number.
      assert.strictEqual(await admitted(10), 30)
      now += 30_000
      assert.strictEqual(await admitted(5), 10)
      assert.strictEqual(await admitted(0), 0)
      // The first thirty have left the minute, the ten have not.
      now += 30_000
      assert.strictEqual(await admitted(0), 30)
    })
  })
}
