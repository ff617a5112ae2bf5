/**
 * The Effect door: ports, operations and routes, for hosts that compose layers.
 *
 * `layerRoutes(settings)` merges into a host's `HttpRouter`; what it needs, `layerServices(options)` provides.
 */
import { type Context, Data, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"
import { makeApp } from "./http/App.ts"
import { type AppSettings, defaultSettings } from "./http/AppSettings.ts"
import type { Services, StorePorts } from "./ports.ts"
import { startServices } from "./startInstance.ts"
import { parseKeyring } from "./vault/Keyring.ts"

export * from "./store.ts"
export { authenticate } from "./access/authenticate.ts"
export type { Caller } from "./access/Caller.ts"
export { createAccount, ensureDefaultAccount } from "./access/createAccount.ts"
export { resumeAccount, suspendAccount } from "./access/suspendAccount.ts"
export { isLive } from "./access/isLive.ts"
export { KeyCache } from "./access/KeyCache.ts"
export { forgetKey } from "./access/forgetKey.ts"
export { announceChange } from "./stream/announceChange.ts"
export { backgroundJobs, type BackgroundJob } from "./stream/backgroundTable.ts"
export type * from "./stream/JobReport.ts"
export * from "./stream/jobHealth.ts"
export * from "./stream/runBackground.ts"
export { runBackgroundOnce, startBackground } from "./stream/startBackground.ts"
export { checkKeyFormat } from "./access/KeyFormat.ts"
export { newApiKey } from "./access/newApiKey.ts"
export { revokeKey } from "./access/revokeKey.ts"
export { rotateManagementKey } from "./access/rotateManagementKey.ts"
export { type PlannedQuery, planQuery } from "./usage/analytics/planQuery.ts"
export { queryAnalytics } from "./usage/analytics/queryAnalytics.ts"
export { unscoped } from "./byok/byokChange.ts"
export { ProviderTable } from "./byok/ProviderTable.ts"
export { type CompiledFilter, type CompiledFilters, compileFilters } from "./filter/CompiledFilters.ts"
export {
  type DetectedKind,
  type Detection,
  Detector,
  DetectorFailed,
  type DetectorFunctions,
  detectorOf
} from "./filter/Detector.ts"
export { unpackHits } from "./filter/packedHits.ts"
export { PatternEngine } from "./filter/PatternEngine.ts"
export { presidioDetector } from "./filter/presidioDetector.ts"
export type { PresidioOptions } from "./filter/PresidioOptions.ts"
export { re2EngineOf, type Re2Constructor } from "./filter/re2Engine.ts"
export { type PatternEngineFunctions, re2jsEngine } from "./filter/re2jsEngine.ts"
export { type RestoredStream, type RestoreOptions, Restorer } from "./filter/Restorer.ts"
export { type Hit, type JoinedText, messagesOf, type ScanJob, type ScanResult, type Sought } from "./filter/ScanJob.ts"
export { type ContentFilterLimits, ContentFilterSettings } from "./filter/ContentFilterSettings.ts"
export { type ScannedMessages, scanMessages } from "./filter/scanMessages.ts"
export { scanTexts } from "./filter/scanTexts.ts"
export type { Finder, Span } from "./filter/Span.ts"
export { scanInSlices, TextScanner, type TextScannerFunctions, isMoreWork } from "./filter/TextScanner.ts"
export { placeOfKey } from "./byok/sealKey.ts"
export { copiedAtOnce, joinBytes, pieceBytes } from "./value/joinBytes.ts"
export { admitInProcess as admit } from "./decision/admit.ts"
export { AdmissionSettings } from "./ledger/AdmissionSettings.ts"
export { candidateOf } from "./decision/Candidate.ts"
export { compilePolicy } from "./decision/CompiledPolicy.ts"
export { permittedCandidates } from "./decision/decide.ts"
export { cancelAdmission } from "./ledger/cancelAdmission.ts"
export { DecisionCache } from "./decision/DecisionCache.ts"
export { explain } from "./decision/explain.ts"
export { NotAdmitted, openCredential } from "./decision/openCredential.ts"
export { LiveAdmissions } from "./ledger/LiveAdmissions.ts"
export { promiseEnforcement } from "./hosting/promiseEnforcement.ts"
export { promiseRunner } from "./hosting/promiseRunner.ts"
export { renewAdmission } from "./ledger/renewAdmission.ts"
export { replayUsage } from "./replay/replayUsage.ts"
export { settleAdmission } from "./decision/settleAdmission.ts"
export { firstPartyProviders, ZdrGroups } from "./decision/zdrGroups.ts"
export { layerInstance } from "./layerInstance.ts"
export { makeProviderFiles, type ProviderFilesOptions } from "./file/makeProviderFiles.ts"
export { ProviderFiles, type ProviderFileStores } from "./file/ProviderFiles.ts"
export { getGuardrail } from "./guardrail/getGuardrail.ts"
export { type App, makeApp, requestIdPattern } from "./http/App.ts"
export { type AppAnswer, jsonType } from "./http/AppAnswer.ts"
export { type AppRequest, type BodyProblem } from "./http/AppRequest.ts"
export {
  type BodyLimits,
  defaultBodyLimits,
  maxBodyGraceMillis,
  maxShortBytes,
  minBodyBytesPerSecond
} from "./http/BodyLimits.ts"
export { issuesOf } from "./http/checkInput.ts"
export { bodiesInFlight, type HeldBytes } from "./http/BytesInFlight.ts"
export { patienceMillis } from "./http/paced.ts"
export { type AppSettings, basePathPattern, defaultSettings } from "./http/AppSettings.ts"
export { isPathOfOurs, routeOf } from "./http/targetOf.ts"
export { envelope, type Printed } from "./http/envelope.ts"
export { parseJson } from "./value/parseJson.ts"
export type { RegionPolicy } from "./http/region.ts"
export { HostAuthentication } from "./hosting/HostAuthentication.ts"
export { type HostAnswer, HostCaller } from "./hosting/HostCaller.ts"
export { defaultStorageLimits, type StorageLimits, storageQuotas, variableOf } from "./limits/storageQuotas.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export { modelsNamed } from "./model/modelsNamed.ts"
export { importCatalog } from "./model/putCatalog.ts"
export { Cipher, type CipherFunctions } from "./platform/Cipher.ts"
export { type OpenedInstance, openInstance } from "./openInstance.ts"
export { Digest, type DigestFunctions } from "./platform/Digest.ts"
export { type LogFields, logParts } from "./platform/logParts.ts"
export { isPublicAddress } from "./platform/isPublicAddress.ts"
export type { Fetch } from "./platform/Fetch.ts"
export { RequestFailed, sendRequest } from "./platform/sendRequest.ts"
export { timestamp } from "./value/timestamp.ts"
export { type InstanceOptions, startInstance, startServices } from "./startInstance.ts"
export type { Store } from "./StoreHandle.ts"
export { makePlatform } from "./platformLayer.ts"
export { storeLayer } from "./storeLayer.ts"
export type { Services } from "./ports.ts"
export { importUsageEvents } from "./usage/importUsageEvents.ts"
export { recordUsageEvents } from "./usage/recordUsageEvents.ts"
export { checkSecrets, type SecretsCheck } from "./vault/checkSecrets.ts"
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"
export { rewrapSecrets } from "./vault/rewrapSecrets.ts"
export { keyIdOf, layerVault, SecretUnreadable, Vault } from "./vault/Vault.ts"
export { budgetsRise } from "./workspace/budgetsRise.ts"

/** A keyring that cannot be read. */
export class UnusableKeyring extends Data.TaggedError("UnusableKeyring")<{ readonly problem: string }> {}

/** How a host that composes layers starts an instance. It names the first management key, as nobody would see a generated one. */
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
      return services as Context.Context<Services>
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
      const { route: app } = yield* makeApp(all)
      const below: `/${string}` = all.basePath === "/" ? "/" : `/${all.basePath.replace(/^\//, "")}/`
      yield* router.add("*", `${below}*`, app)
      // The router finds no route for a target that it cannot decode. Below our path that is ours to answer.
      yield* router.addGlobalMiddleware((routed) =>
        Effect.catchIf(routed, namesNoRoute, (error) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
            url.startsWith(below) ? app : Effect.fail(error)
          )
        )
      )
    })
  )
