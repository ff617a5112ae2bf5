/** A batch is rendered in slices, so that other requests are served in between. */
import { assert, describe, it } from "@effect/vitest"
import { LoopTurns } from "@gatewarden/core/internal"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { Clock, Effect } from "effect"
import { renderers } from "../../../core/src/delivery/renderBatch.ts"
import type { DeliveredEvent } from "../../../core/src/delivery/rendering/Renderer.ts"
import { layerPlatform } from "../../../node/src/platform/layerPlatform.ts"

type AnyRenderer = (typeof renderers)["s3"]

const include = { cost: true, identity: true, request_context: true }
const events: readonly DeliveredEvent[] = Array.from({ length: 50 }, (_, at) => deliveredEvent(`gen-${at}`))

/** Each look at the clock takes a millisecond. */
const slowClock = Effect.map(Clock.Clock, (clock) => {
  let millis = 0n
  return { ...clock, monotonicTimeNanosUnsafe: () => ++millis * 1_000_000n } as Clock.Clock
})

describe("a batch of events", () => {
  for (const [type, renderer] of Object.entries(renderers))
    it.live(`leaves the loop to others between them: ${type}`, () =>
      Effect.gen(function* () {
        const { sent, shown, optional } = destinationConfigs[type as keyof typeof renderers]
        const config = { ...shown, ...optional, ...sent } as unknown as Parameters<AnyRenderer["render"]>[0]
        let turns = 0
        const next = () => Effect.sync(() => void turns++)
        yield* (renderer as unknown as AnyRenderer)
          .render(config, events, include, Date.now())
          .pipe(
            Effect.provideService(LoopTurns, { next, isAwaited: () => false }),
            Effect.provideService(Clock.Clock, yield* slowClock),
            Effect.provide(layerPlatform)
          )
        assert.isAtLeast(turns, 8)
      })
    )
})
