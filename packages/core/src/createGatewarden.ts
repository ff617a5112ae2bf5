/**
 * The Promise door's one constructor: an instance as a value, over a store, a keyring and settings.
 *
 * Source: docs/embedding.md. A start that fails rejects and may be tried again; two instances share nothing.
 */
import type { BudgetWarning, Region } from "@gatewarden/contract"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { HttpEffect } from "effect/http"
import { createAccount } from "./access/createAccount.ts"
import type { PresidioOptions } from "./contentFilter/PresidioOptions.ts"
import { BudgetWarningFeed } from "./enforcement/BudgetWarningFeed.ts"
import type { Enforcement } from "./enforcement/Enforcement.ts"
import { printedWarning } from "./enforcement/printedWarning.ts"
import { promiseEnforcement } from "./enforcement/promiseEnforcement.ts"
import { checkOptions } from "./hosting/checkOptions.ts"
import { AccountName, type AskHost } from "./hosting/HostCaller.ts"
import { hostContext } from "./hosting/hostContext.ts"
import type { HostLog } from "./hosting/LogEntry.ts"
import { hostTracing } from "./hosting/hostTracing.ts"
import type { OpenTelemetry } from "./hosting/OpenTelemetry.ts"
import { promiseRunner } from "./hosting/promiseRunner.ts"
import { UnderWay } from "./hosting/UnderWay.ts"
import { defaultSettings } from "./http/AppSettings.ts"
import type { RegionPolicy } from "./http/region.ts"
import type { WireProfile } from "./http/wireProfile.ts"
import { Entropy } from "./platform/Entropy.ts"
import type { Platform } from "./Platform.ts"
import { platformLayer } from "./platformLayer.ts"
import { startInstance } from "./startInstance.ts"
import type { Store } from "./Store.ts"
import { storeLayer } from "./storeLayer.ts"
import { newKeyring, parseKeyring } from "./vault/Keyring.ts"

/** What an instance is made of. Only `store` is required, and `keyring` with every store that remembers. */
export interface GatewardenOptions {
  readonly store: Store
  /** What the runtime brings. `createGatewarden` of `@gatewarden/node` gives Node's; without, WebCrypto and this thread do all. */
  readonly platform?: Platform
  /** `<id>:<base64 of 32 bytes>[,…]`, the first encrypts. Required by every store but the in-memory one. */
  readonly keyring?: string | undefined
  /** A management key for the default account, 32 to 256 visible ASCII characters; created if absent. */
  readonly managementKey?: string | undefined
  /**
   * Maps a request to a user of the host. It is asked first, for every request that needs a caller, and gets the request
   * that `fetch` was given, whose body it must leave unread. `undefined`: a key of ours decides, as without this option;
   * `refuse`: 401. A rejection is 500, logged by name. With cookies the host must fend off cross-site requests itself.
   */
  readonly authenticate?: AskHost
  /** Gets what is logged from `info` on, in place of the console, which gets warnings and errors alone. */
  readonly logger?: HostLog
  /**
   * An analyzer of Presidio, which finds names of persons and addresses. Without one, or while it does not answer, guardrails that
   * block or redact these refuse the request.
   */
  readonly presidio?: PresidioOptions
  /** The module `@opentelemetry/api` of the host: spans of every operation and statement, below the host's active span. */
  readonly openTelemetry?: OpenTelemetry
  /** Told of every budget warning that this process records: at 80 % and 95 % of a limit, and on denial, once a window. */
  readonly onBudgetWarning?: (warning: BudgetWarning) => void
  /** Where the operations live, `/` or segments without a slash at the end; default `/api/v1`. A host may have stripped it. */
  readonly basePath?: string
  /**
   * What answers look like where the specification and the public client differ: `spec`, `openrouter`, or by the client's
   * User-Agent (`auto`, the default).
   */
  readonly wire?: WireProfile | "auto"
  /** Milliseconds after which an analytics query is given up with 408, 1 to 3,600,000; default 30,000. */
  readonly analyticsTimeoutMillis?: number
  /** The ingress region of every request, or a region by host name. */
  readonly region?: Region | { readonly hosts: Readonly<Record<string, Region>>; readonly trustProxy?: boolean }
}

/** An account that was made. Its key is shown this once. */
export interface NewAccount {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
  readonly managementKey: string
}

/** An instance, until it is closed. */
export interface Gatewarden extends Enforcement {
  /** Answers a request; rejects for nothing that a client can send. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Where the operations live; adapters find a mount by it. */
  readonly basePath: string
  /** The management key that was generated because the store had no account yet; shown this once. */
  readonly generatedKey: string | undefined
  /** Makes an account with a default workspace and a management key; `undefined` when the name is taken. 1 to 100 characters. */
  readonly createAccount: (name: string) => Promise<NewAccount | undefined>
  /**
   * Releases the store and everything else that the instance holds. What is being answered may end first, for at most ten seconds;
   * whatever comes later is refused with 503 `draining`.
   */
  readonly close: () => Promise<void>
}

/** Host names are compared in lower case, however the host writes them. */
const regionPolicy = (region: GatewardenOptions["region"]): RegionPolicy => {
  if (region === undefined) return {}
  if (typeof region === "string") return { fixed: region }
  const hosts = Object.fromEntries(Object.entries(region.hosts).map(([name, of]) => [name.toLowerCase(), of]))
  return { ...region, hosts }
}

/** Where requests come in that a host decides on itself, unless they say so. */
const fixedRegion = (region: GatewardenOptions["region"]): Region => (typeof region === "string" ? region : "global")

/** Only a store that forgets everything may have a keyring that nobody keeps. */
const keyringText = (options: GatewardenOptions, random: (size: number) => Uint8Array): string => {
  if (options.keyring !== undefined) return options.keyring
  if (options.store.name === "memory") return Redacted.value(newKeyring("memory", random))
  throw new TypeError("createGatewarden: keyring is required with this store")
}

/** How long requests that are being answered when an instance is closed may go on. */
const closeTimeout = "10 seconds"

/**
 * Makes an instance: opens the store, brings its schema up to date, and sees to the default account and its management key.
 *
 * Rejects with a `TypeError` that names the options which are not what they should be, before anything is opened, and with the
 * store's own failure where it cannot be opened; nothing stays open then.
 *
 * @example
 * const gatewarden = await createGatewarden({ store: memory() })
 * const response = await gatewarden.fetch(request)
 */
export const createGatewarden = async (options: GatewardenOptions): Promise<Gatewarden> => {
  checkOptions(options)
  const parsed = parseKeyring(
    keyringText(options, await Effect.runPromise(Effect.map(Entropy, (entropy) => entropy.bytes)))
  )
  if ("problem" in parsed) throw new TypeError(`createGatewarden: keyring is not usable: ${parsed.problem}`)
  const { managementKey } = options
  const { authenticate, logger, presidio } = options
  const tracing = options.openTelemetry && hostTracing(options.openTelemetry)
  const { basePath = defaultSettings.basePath } = options
  const scope = Scope.makeUnsafe()
  const underWay = new UnderWay()
  const starting = startInstance({
    store: storeLayer(options.store),
    keyring: parsed.keyring,
    managementKey: managementKey === undefined ? undefined : Redacted.make(managementKey),
    settings: {
      ...defaultSettings,
      prefix: "either",
      basePath,
      wire: options.wire ?? defaultSettings.wire,
      analyticsTimeoutMillis: options.analyticsTimeoutMillis ?? defaultSettings.analyticsTimeoutMillis,
      region: regionPolicy(options.region),
      draining: () => underWay.closing
    }
  })
  try {
    const platform = await Effect.runPromise(Scope.provide(Layer.build(platformLayer(options.platform)), scope))
    const host = Context.merge(platform, hostContext({ authenticate, logger, tracing, presidio }))
    const instance = await Effect.runPromise(starting.pipe(Scope.provide(scope), Effect.provideContext(host)))
    const { onBudgetWarning } = options
    if (onBudgetWarning !== undefined)
      Context.get(instance.services, BudgetWarningFeed).subscribe((_, warning) =>
        onBudgetWarning(printedWarning(warning))
      )
    const handler = HttpEffect.toWebHandler(instance.app.route)
    const run = promiseRunner(Context.merge(instance.services, host), underWay)
    let closed: Promise<void> | undefined
    return {
      fetch: (request) =>
        underWay.run(async () => {
          // Hosts in JavaScript pass a URL, as to the global function. No class is asked for: hosts and test runners bring their own.
          if (typeof (request as Request | undefined)?.headers !== "object")
            throw new TypeError("fetch: expected a Request, such as new Request(url)")
          return handler(request, tracing?.requestContext())
        }),
      basePath,
      generatedKey: instance.generatedKey && Redacted.value(instance.generatedKey),
      createAccount: async (name) => {
        if (!AccountName.safeParse(name).success)
          throw new TypeError("createAccount: a name has 1 to 100 characters, none of them U+0000")
        const made = await run(createAccount(name))
        return (
          made && {
            id: made.account.id,
            name: made.account.name,
            workspaceId: made.workspace.id,
            managementKey: Redacted.value(made.key)
          }
        )
      },
      ...promiseEnforcement(run, fixedRegion(options.region)),
      close: () =>
        (closed ??= Effect.runPromise(Effect.andThen(underWay.end(closeTimeout), Scope.close(scope, Exit.void))))
    }
  } catch (cause) {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw cause
  }
}
