/** The core on PostgreSQL within this process, as a host that composes layers has it. */
import { authenticate, type Caller, layerInstance, parseKeyring, type Services } from "@gatewarden/core/internal"
import { layerPlatform } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { Bench } from "./openBench.ts"

export interface Library {
  /** Runs an effect of the core. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  /** Calls back when an effect of the core has succeeded; a failure ends the process, for there is none to measure. */
  readonly start: <A, E>(effect: Effect.Effect<A, E, Services>, onDone: () => void) => void
  readonly caller: Caller
  readonly close: () => Promise<void>
}

export const openLibrary = async (
  { databaseUrl, keyring, authorization }: Bench,
  options: { readonly rowLevelSecurity?: boolean } = {}
): Promise<Library> => {
  const parsed = parseKeyring(keyring)
  if ("problem" in parsed) throw new Error(parsed.problem)
  const scope = Scope.makeUnsafe()
  const layer = Layer.merge(
    layerInstance(layerPostgresStore({ url: Redacted.make(databaseUrl), ...options }), parsed.keyring),
    layerPlatform
  ).pipe(Layer.provide(layerPlatform))
  const services = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
  const run = Effect.runPromiseWith(services)
  const fork = Effect.runForkWith(services)
  return {
    run,
    start: (effect, onDone) =>
      fork(effect).addObserver((exit) => {
        if (Exit.isFailure(exit)) throw new Error(`The library failed: ${String(exit.cause)}`)
        onDone()
      }),
    caller: await run(authenticate(authorization)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
