/** Opens an instance with a parsed keyring: the result of `createGatewarden`, and its services for hosts in Effect. */
import type { Region } from "@gatewarden/contract"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { createAccount, resumeAccount, suspendAccount } from "../account/account.ts"
import { runBackgroundOnce } from "../background/runBackground.ts"
import { ProviderFiles } from "../file/ProviderFiles.ts"
import { makeProviderFiles } from "../file/makeProviderFiles.ts"
import { AccountName } from "../access/HostCaller.ts"
import { UnderWay, promiseRunner } from "../hosting/promiseRunner.ts"
import { hostContext } from "../hosting/hostContext.ts"
import { hostTracing } from "../hosting/hostTracing.ts"
import { promiseEnforcement } from "../hosting/promiseEnforcement.ts"
import { defaultSettings } from "../http/AppSettings.ts"
import type { BodyLimits } from "../http/BodyLimits.ts"
import type { RegionPolicy } from "../http/requestSpan.ts"
import { webHandler } from "../http/webHandler.ts"
import { BudgetWarningFeed } from "../ledger/BudgetWarningFeed.ts"
import { printedWarning } from "../ledger/operations.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import type { Services } from "../http/Services.ts"
import { defaultAccountName } from "../ports/accounts.ts"
import { actingAs } from "../ports/acting.ts"
import { defaultStorageLimits } from "../ports/storageQuotas.ts"
import type { Keyring } from "../vault/Keyring.ts"
import type { Gatewarden, GatewardenOptions } from "./createGatewarden.ts"
import { platformLayer, storeLayer } from "./layerInstance.ts"
import { startInstance } from "./startInstance.ts"

/** Host names are compared in lower case, however the host writes them. */
const regionPolicy = (region: GatewardenOptions["region"]): RegionPolicy => {
  if (region === undefined) return {}
  if (typeof region === "string") return { fixed: region }
  const hosts = Object.fromEntries(Object.entries(region.hosts).map(([name, of]) => [name.toLowerCase(), of]))
  return { hosts, trustedProxies: Number(region.trustProxy ?? 0) }
}

/** The ingress region of requests that a host decides on in process, unless they name one. */
const fixedRegion = (region: GatewardenOptions["region"]): Region => (typeof region === "string" ? region : "global")

/** How long `close` waits for requests in flight. */
const closeTimeout = "10 seconds"

/** Records the host's own code as the actor of a change. */
const asHost = <A, E, R>(operation: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  actingAs({ actor: { type: "host", id: null }, operation }, work)

/** An instance and its services, for hosts that use more than requests. */
export interface OpenedInstance {
  readonly gatewarden: Gatewarden
  readonly services: Context.Context<Services>
}

/** The same as `createGatewarden`, with a parsed keyring. */
export const openInstance = async (
  options: Omit<GatewardenOptions, "keyring"> & { readonly bodies?: BodyLimits },
  keyring: Keyring
): Promise<OpenedInstance> => {
  const { managementKey } = options
  const { authenticate, logger, mail, presidio } = options
  const tracing = options.openTelemetry && hostTracing(options.openTelemetry)
  const { basePath = defaultSettings.basePath } = options
  const scope = Scope.makeUnsafe()
  const underWay = new UnderWay()
  const starting = startInstance({
    store: storeLayer(options.store),
    keyring,
    managementKey: managementKey === undefined ? undefined : Redacted.make(managementKey),
    background: options.background === true ? { ...options.retention } : undefined,
    settings: {
      ...defaultSettings,
      prefix: "either",
      basePath,
      docUrl: options.docUrl,
      publicUrl: options.publicUrl,
      authPage: options.authPage ?? defaultSettings.authPage,
      wire: options.wire ?? defaultSettings.wire,
      analyticsTimeoutMillis: options.analyticsTimeoutMillis ?? defaultSettings.analyticsTimeoutMillis,
      bodies: options.bodies ?? defaultSettings.bodies,
      storage: { ...defaultStorageLimits, ...options.storage },
      region: regionPolicy(options.region),
      draining: () => underWay.closing
    }
  })
  try {
    const platform = await Effect.runPromise(Scope.provide(Layer.build(platformLayer(options.platform)), scope))
    const { fetch } = options
    const outgoing =
      fetch === undefined
        ? platform
        : Context.add(Context.add(platform, OutgoingFetch, fetch), ProviderFiles, makeProviderFiles({ fetch }))
    const host = Context.merge(outgoing, hostContext({ authenticate, logger, mail, tracing, presidio }))
    const instance = await Effect.runPromise(starting.pipe(Scope.provide(scope), Effect.provideContext(host)))
    const { onBudgetWarning } = options
    if (onBudgetWarning !== undefined)
      Context.get(instance.services, BudgetWarningFeed).subscribe((_, warning) =>
        onBudgetWarning(printedWarning(warning))
      )
    const handler = webHandler(instance.app)
    const run = promiseRunner(Context.merge(instance.services, host), underWay)
    const suspended = async (called: string, change: ReturnType<typeof suspendAccount>): Promise<boolean> => {
      const changed = await run(asHost(called, change))
      if (changed === "operator")
        throw new TypeError(`${called}: the account "${defaultAccountName}" cannot be suspended`)
      return changed !== "missing"
    }
    const ingress = { region: fixedRegion(options.region), docs: instance.app.errorDocs("") }
    let closed: Promise<void> | undefined
    const gatewarden: Gatewarden = {
      fetch: (request) =>
        underWay.run(async () => {
          // Hosts in JavaScript pass a URL, as to the global function. The class is not checked, because hosts and test runners have their
          // own.
          if (typeof (request as Request | undefined)?.headers !== "object")
            throw new TypeError("fetch: expected a Request, such as new Request(url)")
          return handler(request, tracing?.requestContext())
        }),
      basePath,
      generatedKey: instance.generatedKey && Redacted.value(instance.generatedKey),
      createAccount: async (name) => {
        if (!AccountName.safeParse(name).success)
          throw new TypeError("createAccount: a name has 1 to 100 characters, none of them U+0000")
        const made = await run(asHost("createAccount", createAccount(name)))
        return (
          made && {
            id: made.account.id,
            name: made.account.name,
            workspaceId: made.workspace.id,
            managementKey: Redacted.value(made.key)
          }
        )
      },
      suspendAccount: (name) => suspended("suspendAccount", suspendAccount(name)),
      resumeAccount: (name) => suspended("resumeAccount", resumeAccount(name)),
      runBackground: () => run(runBackgroundOnce(options.retention)),
      ...promiseEnforcement(run, () => ingress),
      close: () =>
        (closed ??= Effect.runPromise(Effect.andThen(underWay.end(closeTimeout), Scope.close(scope, Exit.void))))
    }
    return { gatewarden, services: instance.services }
  } catch (cause) {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw cause
  }
}
