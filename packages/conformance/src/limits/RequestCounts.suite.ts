/** Holds counted requests to the in-memory reference, to their figures however many ask at once, and to one clock. */
import { layerMemory, LedgerClock, type Quota, RequestCounts, type StorePorts } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { HandClock } from "../HandClock.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const quotas = fc.array(
  fc.record({
    bucket: fc.constantFrom("one", "other"),
    limit: fc.integer({ min: 1, max: 5 }),
    window: fc.constantFrom<Quota["window"]>(
      { kind: "sliding", millis: 60_000 },
      { kind: "sliding", millis: 1_000 },
      { kind: "utc_day" }
    )
  }),
  { minLength: 1, maxLength: 2 }
)

const step = fc.record({
  quotas,
  /** Past midnight, too: it begins shortly before. */
  wait: fc.constantFrom(0, 1, 999, 1_000, 59_999, 60_000, 86_400_000)
})

export const requestCountsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`counted requests: ${name}`, () => {
    const clock: HandClock = { now: Date.parse("2026-03-01T23:59:00.000Z") }
    const tried = storeUnderTest(makeStore, clock)
    const reference = storeUnderTest(() => layerMemory, clock)
    const consume = (quotas: readonly Quota[]) => Effect.flatMap(RequestCounts, (port) => port.consume(quotas))

    it("answers as the reference does", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
          const place = crypto.randomUUID()
          for (const { quotas, wait } of steps) {
            clock.now += wait
            const named = quotas.map((quota, index) => ({
              ...quota,
              bucket: `${place} ${index} ${quota.bucket} ${JSON.stringify(quota.window)}`
            }))
            assert.deepEqual(await tried(consume(named)), await reference(consume(named)))
          }
        }),
        { numRuns: 60 }
      )
    }, 120_000)

    it("counts exactly as many as a limit says, however many ask at once", async () => {
      const bucket = crypto.randomUUID()
      const asked = Array.from({ length: 60 }, () =>
        consume([{ bucket, limit: 30, window: { kind: "sliding", millis: 60_000 } }])
      )
      const outcomes = await tried(Effect.all(asked, { concurrency: "unbounded" }))
      const admitted = outcomes.filter((outcome) => outcome.admitted)
      assert.lengthOf(admitted, 30)
      // Each is told what is left behind it.
      const left = (some: typeof outcomes) => some.map(({ states }) => states[0]?.remaining ?? -1).sort((a, b) => a - b)
      assert.deepEqual(
        left(admitted),
        Array.from({ length: 30 }, (_, n) => n)
      )
      assert.deepEqual(left(outcomes.filter((outcome) => !outcome.admitted)), Array<number>(30).fill(0))
    })

    if (name !== "memory")
      it("counts by the database's clock, whatever the clock of a process says", async () => {
        const bucket = crypto.randomUUID()
        const quota: Quota = { bucket, limit: 3, window: { kind: "sliding", millis: 3_600_000 } }
        const ask = async (skewMillis: number) => {
          clock.now = Date.now() + skewMillis
          return tried(Effect.provideService(consume([quota]), LedgerClock, "database"))
        }
        const day = 86_400_000
        const asked = [await ask(-day), await ask(day), await ask(0)]
        const outcomes = [...asked, await ask(0), await ask(day), await ask(-day)]
        assert.deepEqual(
          outcomes.map(({ admitted }) => admitted),
          [true, true, true, false, false, false]
        )
        for (const { now, states } of outcomes) {
          assert.isBelow(Math.abs(now - Date.now()), day / 2)
          assert.isBelow(states[0]?.resetsAt ?? 0, now + day / 2)
        }
      })
  })
}
