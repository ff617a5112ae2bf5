/**
 * One running instance under test: a store that can be broken, a clock that is turned by hand, and a door to speak through.
 *
 * The suites know nothing of what is behind the door: it may be the fetch handler, the server, or a host that embeds it.
 */
import {
  Accounts,
  Acts,
  ApiKeys,
  defaultAccountName,
  Entropy,
  type EntropySource,
  type StorePorts,
  type AppSettings,
  createAccount,
  defaultSettings,
  newApiKey,
  newKeyring,
  parseKeyring,
  type InstanceOptions,
  makeProviderFiles,
  OutgoingFetch,
  ProviderFiles,
  type Services
} from "@gatewarden/core/internal"
import { guardedFetch } from "@gatewarden/node/effect"
import { type Context, Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { analyticsTimeoutMillis } from "./usage/analyticsTimeoutMillis.ts"
import { breakable, type Faults } from "./breakable.ts"
import { beginning } from "./beginning.ts"
import { byHand, type HandClock } from "./HandClock.ts"
import { startFileProviders } from "./file/fileProviders.ts"
import { AlertReceivers } from "./alert/alertReceivers.ts"
import { Deployments } from "./privateEndpoint/Deployments.ts"
import { TokenIssuers } from "./federation/tokenIssuers.ts"
import type { FileProviders } from "./file/fileProvidersAt.ts"
import { World } from "./World.ts"

export { beginning }

/** A way to reach an app: `fetch` takes URLs below `origin`. */
export interface Door {
  readonly origin: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** Starts an instance and opens a door to it, for as long as the scope lives. */
export type OpenDoor = (
  options: InstanceOptions<unknown, never>
) => Effect.Effect<{ readonly services: Context.Context<Services>; readonly door: Door }, unknown, Scope.Scope>

export interface InstallationOptions {
  readonly store: Layer.Layer<StorePorts, unknown>
  readonly door: OpenDoor
  readonly settings?: Partial<AppSettings>
  /** Where ids and keys come from; two installations with equal sources answer alike. Default: the platform's. */
  readonly entropy?: EntropySource
  /** The file stores of providers that the instance speaks to; default: new ones, for as long as it lives. */
  readonly upstream?: FileProviders
}

export class Installation {
  readonly services: Context.Context<Services>
  readonly door: Door
  readonly faults: Faults
  readonly clock: HandClock
  readonly basePath: string
  /** The file stores of providers that the instance speaks to. */
  readonly upstream: FileProviders
  /** The issuers of workload tokens that the instance speaks to. */
  readonly issuers: TokenIssuers
  /** What receives alerts of the instance. */
  readonly receivers: AlertReceivers
  /** The deployments of models that accounts have. */
  readonly deployments: Deployments
  readonly #entropy: EntropySource
  readonly #scope: Scope.Closeable
  #accounts = 0
  #operator: Promise<readonly [string, string]> | undefined

  private constructor(
    services: Context.Context<Services>,
    door: Door,
    faults: Faults,
    clock: HandClock,
    entropy: EntropySource,
    basePath: string,
    upstream: FileProviders,
    issuers: TokenIssuers,
    receivers: AlertReceivers,
    deployments: Deployments,
    scope: Scope.Closeable
  ) {
    this.services = services
    this.door = door
    this.faults = faults
    this.clock = clock
    this.basePath = basePath
    this.upstream = upstream
    this.issuers = issuers
    this.receivers = receivers
    this.deployments = deployments
    this.#entropy = entropy
    this.#scope = scope
  }

  static async start(options: InstallationOptions): Promise<Installation> {
    const clock: HandClock = { now: beginning }
    const entropy = options.entropy ?? Entropy.defaultValue()
    const scope = Scope.makeUnsafe()
    const { layer, faults } = breakable(options.store)
    const settings = { ...defaultSettings, analyticsTimeoutMillis, ...options.settings }
    const parsed = parseKeyring(Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(7))))
    if ("problem" in parsed) throw new Error(parsed.problem)
    const upstream = options.upstream ?? (await Effect.runPromise(Scope.provide(startFileProviders, scope)))
    const issuers = new TokenIssuers()
    const receivers = new AlertReceivers()
    const deployments = new Deployments()
    const providerFiles = makeProviderFiles({
      fetch: guardedFetch({ allowPrivate: true }),
      baseUrls: upstream.baseUrls
    })
    const { services, door } = await Effect.runPromise(
      options.door({ store: layer, keyring: parsed.keyring, managementKey: undefined, settings }).pipe(
        Scope.provide(scope),
        Effect.provideService(ProviderFiles, providerFiles),
        Effect.provideService(
          OutgoingFetch,
          (url, init) => receivers.fetch(url, init) ?? deployments.fetch(url, init) ?? issuers.fetch(url, init)
        ),
        byHand(clock),
        Effect.provideService(Entropy, entropy)
      )
    )
    return new Installation(
      services,
      door,
      faults,
      clock,
      entropy,
      settings.basePath,
      upstream,
      issuers,
      receivers,
      deployments,
      scope
    )
  }

  /** Runs an effect of the core beside the door, on the same store and clock. */
  run<A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> {
    return Effect.runPromise(
      effect.pipe(
        Effect.provideContext(this.services),
        byHand(this.clock),
        Effect.provideService(Entropy, this.#entropy),
        Effect.provideService(Acts, {
          actor: { type: "operator", id: null },
          operation: "prepare",
          request_id: null,
          at: new Date(this.clock.now).toISOString()
        })
      )
    )
  }

  /** Gives the worlds that are made from now on the operator's keys of their own: of management, and of a gateway. */
  newOperatorKeys(): void {
    this.#operator = undefined
  }

  #operate(): Promise<readonly [operatorKey: string, gatewayKey: string]> {
    return (this.#operator ??= this.run(
      Effect.gen(function* () {
        const found = yield* (yield* Accounts).findByName(defaultAccountName)
        const { id: account_id } = Option.getOrThrow(found)
        const make = Effect.fnUntraced(function* (kind: "management" | "gateway") {
          const { key, record } = yield* newApiKey({ kind, account_id, workspace_id: null, name: kind })
          yield* (yield* ApiKeys).insert(record)
          return Redacted.value(key)
        })
        return [yield* make("management"), yield* make("gateway")] as const
      })
    ))
  }

  /** A new account with a management key, an API key in its default workspace, and nothing else. */
  async newWorld(): Promise<World> {
    const name = `account-${++this.#accounts}-${this.#entropy.uuid()}`
    const made = await this.run(
      Effect.gen(function* () {
        const account = yield* createAccount(name)
        if (account === undefined) return yield* Effect.die(new Error("account exists"))
        const keys = yield* ApiKeys
        const normal = yield* newApiKey({
          kind: "normal",
          account_id: account.account.id,
          workspace_id: account.workspace.id,
          user_id: "user-1",
          name: "normal"
        })
        yield* keys.insert(normal.record)
        return { account, normal }
      })
    )
    const [operatorKey, gatewayKey] = await this.#operate()
    return new World(this, {
      operatorKey,
      gatewayKey,
      account_id: made.account.account.id,
      workspace_id: made.account.workspace.id,
      default_guardrail_id: made.account.workspace.default_guardrail_id,
      managementKey: Redacted.value(made.account.key),
      normalKey: Redacted.value(made.normal.key),
      normalKeyHash: made.normal.record.hash
    })
  }

  stop(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}
