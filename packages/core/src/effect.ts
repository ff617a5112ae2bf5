/**
 * The Effect API, for hosts that compose layers.
 *
 * `layerRoutes(settings)` merges into a host's `HttpRouter`; what it needs, `layerServices(options)` provides. Ports and their values are on
 * `@gatewarden/core/store`, the types that hosts in Promises see on `@gatewarden/core`. A host manages an instance in process by
 * `createClient({ fetch })` of `@gatewarden/client`.
 */
import { Data, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"
import { makeApp } from "./http/App.ts"
import { appRoute } from "./http/appRoute.ts"
import { type AppSettings, defaultSettings } from "./http/AppSettings.ts"
import type { StorePorts } from "./ports/StorePorts.ts"
import { startServices } from "./instance/startInstance.ts"
import { parseKeyring } from "./vault/Keyring.ts"

// An instance in layers: routes, services, and who calls.
export type { Caller } from "./access/Caller.ts"
export { appRoute } from "./http/appRoute.ts"
export { HostAuthentication } from "./access/callerOfHost.ts"
export { type Pace, patienceMillis } from "./http/AppRequest.ts"
export { type AppSettings, defaultSettings } from "./http/AppSettings.ts"
export { webHandler } from "./http/webHandler.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export type { Services } from "./http/Services.ts"

// What a host brings.
export {
  type DetectedKind,
  type Detection,
  Detector,
  DetectorFailed,
  type DetectorFunctions
} from "./filter/Detector.ts"
export { presidioDetector } from "./filter/presidioDetector.ts"
export { AdmissionSettings } from "./ledger/AdmissionSettings.ts"
export { MailTransport } from "./alert/mail.ts"
export { OutgoingFetch } from "./platform/OutgoingFetch.ts"

// Who changes what, and background work.
export { actingAs } from "./ports/acting.ts"
export { keepRunning, runBackground } from "./background/runBackground.ts"

// Bodies, counted and read as the server does.
export { type HeldBytes, bytesInFlight } from "./http/BytesInFlight.ts"
export { defaultBodyLimits, maxShortBytes } from "./http/BodyLimits.ts"
export { measureJson } from "./value/measureJson.ts"
export { GatheredBytes } from "./value/bytes.ts"
export { issuesOf } from "./value/checkInput.ts"
export { issuePath } from "./value/issues.ts"
export { parseBody } from "./value/parseLongJson.ts"

// The keyring.
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"

/** A keyring that cannot be read. */
export class UnusableKeyring extends Data.TaggedError("UnusableKeyring")<{ readonly problem: string }> {}

/**
 * Options of an instance for a host that composes layers. The host provides the first management key, because nobody would see a generated
 * one.
 */
export interface ServicesOptions<E, R> {
  readonly store: Layer.Layer<StorePorts, E, R>
  /** `<id>:<base64 of 32 bytes>[,…]`, the first encrypts. */
  readonly keyring: Redacted.Redacted<string>
  readonly managementKey: Redacted.Redacted<string>
}

/** Store, vault and caches of one instance, with the default account and its management key. */
export const layerServices = <E, R>({ store, keyring, managementKey }: ServicesOptions<E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const parsed = parseKeyring(Redacted.value(keyring))
      if ("problem" in parsed) return yield* new UnusableKeyring({ problem: parsed.problem })
      const { services } = yield* startServices({ store, keyring: parsed.keyring, managementKey })
      return services
    })
  )

const namesNoRoute = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * Every operation under the base path, and nothing outside it. Middleware of the router (authentication, CORS) applies as to
 * any route.
 */
export const layerRoutes = (settings: Partial<AppSettings> = {}) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const all = { ...defaultSettings, ...settings }
      const app = appRoute(yield* makeApp(all))
      const below: `/${string}` = all.basePath === "/" ? "/" : `/${all.basePath.replace(/^\//, "")}/`
      yield* router.add("*", `${below}*`, app)
      // The router finds no route for a target that it cannot decode. Below the base path Gatewarden answers it.
      yield* router.addGlobalMiddleware((routed) =>
        Effect.catchIf(routed, namesNoRoute, (error) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
            url.startsWith(below) ? app : Effect.fail(error)
          )
        )
      )
    })
  )
