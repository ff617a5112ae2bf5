/** How long a destination waits for others whose platforms do not answer, in the time of a clock that is turned. Rule: observability#retries. */
import { type Fetch, keepDispatching, layerInstance, layerMemory, OutgoingFetch } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  eventAt,
  newTenant,
  recordFor,
  sealedDestination
} from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { settled, withoutThreads } from "@gatewarden/testkit/delivery/withoutThreads"

const dead = 100
/** Requests that the platform that is well gets, each of which it answers after a second: some turns of a destination. */
const requests = 100
const answerMillis = 1_000
const stepMillis = 50

const webhook = (host: string) => ({ config: { url: `https://${host}/hook`, method: "POST" as const, headers: {} } })

/** Seconds until the events of a destination have arrived, with so many others that never get an answer. */
const secondsBeside = (others: number) =>
  Effect.gen(function* () {
    const begin = yield* Clock.currentTimeMillis
    const context = yield* Effect.context<never>()
    const well = yield* newTenant
    const id = yield* sealedDestination(well, webhook("well.example.com"))
    // One after the other in each tenant: the well one is noticed last.
    for (let index = 0; index < others; index++) {
      const tenant = yield* newTenant
      const destination = yield* sealedDestination(tenant, webhook("dead.example.com"))
      yield* recordFor(tenant, [eventAt(`dead-${index}`, tenant.workspace_id, begin)], [destination])
    }
    let left = requests
    const record = recordFor(well, [eventAt(`well-${left}`, well.workspace_id, begin)], [id])
    yield* record
    let asked = 0
    const fetch: Fetch = (url, { signal }) => {
      if (url.includes("dead"))
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
      asked++
      return Effect.runPromiseWith(context)(Effect.as(Effect.sleep(answerMillis), new Response("{}")))
    }
    yield* Effect.forkScoped(Effect.provideService(keepDispatching, OutgoingFetch, fetch))
    for (;;) {
      yield* settled
      if (asked === requests - left + 1) {
        if (--left === 0) break
        // The next one waits when this one is answered, so that the turn goes on.
        yield* recordFor(well, [eventAt(`well-${left}`, well.workspace_id, begin)], [id])
      }
      yield* TestClock.adjust(stepMillis)
    }
    return ((yield* Clock.currentTimeMillis) - begin) / 1_000
  }).pipe(withoutThreads, Effect.scoped, Effect.provide(Layer.fresh(layerInstance(layerMemory, testKeyring))))

describe("destinations that never get an answer", () => {
  it.effect(
    "a hundred of them slow another one by less than 5 %",
    () =>
      Effect.gen(function* () {
        const alone = yield* secondsBeside(0)
        const beside = yield* secondsBeside(dead)
        assert.isAtLeast(alone, (requests - 1) * (answerMillis / 1_000))
        assert.isBelow(beside / alone, 1.05, `${alone} s alone, ${beside} s beside ${dead} dead ones`)
      }),
    { tags: ["deep"], timeout: 120_000 }
  )
})
