/**
 * Assembles an instance: store, vault and caches, a default account with a management key, and the HTTP application.
 *
 * All resources of an instance belong to the scope in which it was started. A failed start leaves nothing behind and may be retried.
 */
import { type Context, Effect, Layer, type Redacted } from "effect"
import { ensureDefaultAccount } from "../account/account.ts"
import { startBackground } from "../background/runBackground.ts"
import { makeApp } from "../http/App.ts"
import type { AppSettings } from "../http/AppSettings.ts"
import type { Services } from "../http/Services.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { asServer } from "../ports/acting.ts"
import { type RetentionSettings, defaultRetention } from "../ports/retention.ts"
import { announceKeyring } from "../rotation/rotation.ts"
import type { Keyring } from "../vault/Keyring.ts"
import { layerInstance } from "./layerInstance.ts"

export interface InstanceOptions<E, R> {
  readonly store: Layer.Layer<StorePorts, E, R>
  readonly keyring: Keyring
  readonly managementKey: Redacted.Redacted<string> | undefined
  readonly settings: AppSettings
  /** Retention, and background work by the instance itself. Default: it runs none. */
  readonly background?: Partial<RetentionSettings> | undefined
  /** `false` for a command, which is no process of the installation. Default: `keyring rotate` sees this process. */
  readonly announced?: boolean
}

/** The services that operations need. Creates the default account if there is none. */
export const startServices = Effect.fnUntraced(function* <E, R>(
  options: Omit<InstanceOptions<E, R>, "settings" | "background" | "announced">
) {
  const services: Context.Context<Services> = yield* Layer.build(layerInstance(options.store, options.keyring))
  const generatedKey = yield* Effect.provideContext(
    asServer("start", ensureDefaultAccount(options.managementKey)),
    services
  )
  return { services, generatedKey }
})

export const startInstance = Effect.fnUntraced(function* <E, R>(options: InstanceOptions<E, R>) {
  const { services, generatedKey } = yield* startServices(options)
  if (options.announced !== false) yield* Effect.provideContext(announceKeyring(options.keyring), services)
  const app = yield* Effect.provideContext(makeApp(options.settings), services)
  if (options.background !== undefined)
    yield* Effect.provideContext(startBackground({ ...defaultRetention, ...options.background }), services)
  return { services, generatedKey, app }
})
