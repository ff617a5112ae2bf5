/**
 * Puts an instance together: store, vault and caches, a default account with a management key, and the HTTP face.
 *
 * Everything that an instance holds lives in the scope it was started in; a start that fails leaves nothing behind and
 * may be tried again.
 */
import { Effect, Layer, type Redacted } from "effect"
import { ensureDefaultAccount } from "./access/createAccount.ts"
import { makeApp } from "./http/App.ts"
import type { AppSettings } from "./http/AppSettings.ts"
import { layerInstance } from "./layerInstance.ts"
import type { StorePorts } from "./ports.ts"
import { asServer } from "./stream/Acting.ts"
import { defaultRetention, type RetentionSettings } from "./stream/retained.ts"
import { startBackground } from "./stream/startBackground.ts"
import type { Keyring } from "./vault/Keyring.ts"

export interface InstanceOptions<E, R> {
  readonly store: Layer.Layer<StorePorts, E, R>
  readonly keyring: Keyring
  readonly managementKey: Redacted.Redacted<string> | undefined
  readonly settings: AppSettings
  /** How long rows are kept, and that the instance does background work by itself. Default: it does none. */
  readonly background?: Partial<RetentionSettings> | undefined
}

/** What the operations need, with the default account made where there was none. */
export const startServices = Effect.fnUntraced(function* <E, R>(
  options: Omit<InstanceOptions<E, R>, "settings" | "background">
) {
  const services = yield* Layer.build(layerInstance(options.store, options.keyring))
  const generatedKey = yield* Effect.provideContext(
    asServer("start", ensureDefaultAccount(options.managementKey)),
    services
  )
  return { services, generatedKey }
})

export const startInstance = Effect.fnUntraced(function* <E, R>(options: InstanceOptions<E, R>) {
  const { services, generatedKey } = yield* startServices(options)
  const app = yield* Effect.provideContext(makeApp(options.settings), services)
  if (options.background !== undefined)
    yield* Effect.provideContext(startBackground({ ...defaultRetention, ...options.background }), services)
  return { services, generatedKey, app }
})
