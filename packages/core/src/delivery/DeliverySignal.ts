/**
 * Tells the dispatcher of this process that something was recorded for a destination, so that it need not wait for its next look.
 *
 * A hint: processes that record do not wait for it, and the dispatcher of every process looks once a second without it.
 */
import { Context, Effect, Latch, Layer } from "effect"

export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    readonly wake: () => void
    /** Ends when it was woken since the last time. */
    readonly awaited: Effect.Effect<void>
  }
>()("gatewarden/DeliverySignal") {}

/** One per instance of the product: two instances share nothing. */
export const layerDeliverySignal = Layer.sync(DeliverySignal, () => {
  const latch = Latch.makeUnsafe()
  return DeliverySignal.of({
    wake: () => void latch.openUnsafe(),
    awaited: Effect.andThen(
      latch.await,
      Effect.sync(() => void latch.closeUnsafe())
    )
  })
})
