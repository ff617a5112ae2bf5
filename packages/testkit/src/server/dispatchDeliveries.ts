/**
 * A process that delivers, for tests that kill it: `dispatchDeliveries.js URL`. It may reach this machine, where the platforms of the tests
 * listen. It prints `ready`.
 */
import { keepDispatching, layerInstance, OutgoingFetch } from "@gatewarden/core/internal"
import { guardedFetch } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"

const [url = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  process.stdout.write("ready\n")
  // Fibers that wait keep no process alive.
  const alive = setInterval(() => {}, 1_000)
  yield* Effect.ensuring(
    keepDispatching,
    Effect.sync(() => clearInterval(alive))
  )
}).pipe(
  Effect.provideService(OutgoingFetch, guardedFetch({ allowPrivate: true })),
  Effect.provide(layerInstance(layerPostgresStore({ url: Redacted.make(url) }), testKeyring)),
  Effect.scoped
)

await Effect.runPromise(program as Effect.Effect<never, unknown>)
