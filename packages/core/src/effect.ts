/**
 * The Effect API, for hosts that compose layers and for packages that run an instance on a platform.
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
export { HostAuthentication } from "./access/callerOfHost.ts"
export { type App, makeApp, requestIdPattern } from "./http/App.ts"
export {
  type AppAnswer,
  type AppRequest,
  type BodyProblem,
  type Pace,
  discardAnswer,
  firstByteMillis,
  jsonType,
  patienceMillis
} from "./http/AppRequest.ts"
export { appRoute } from "./http/appRoute.ts"
export { type AppSettings, basePathPattern, defaultSettings } from "./http/AppSettings.ts"
export { type RegionPolicy, ambiguousHost, regionOf, requestSpan } from "./http/requestSpan.ts"
export { webHandler } from "./http/webHandler.ts"
export { layerInstance, makePlatform } from "./instance/layerInstance.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export { type OpenedInstance, openInstance } from "./instance/openInstance.ts"
export type { Services } from "./http/Services.ts"
export { KeyCache } from "./cache/KeyCache.ts"
export { DecisionCache } from "./policy/DecisionCache.ts"
export { LiveAdmissions } from "./ledger/AdmittedSizes.ts"
export { type InstanceOptions, startInstance, startServices } from "./instance/startInstance.ts"

// Accounts and keys, as the command line has them.
export { checkKeyFormat } from "./ports/keys.ts"
export { createAccount, ensureDefaultAccount, resumeAccount, suspendAccount } from "./account/account.ts"
export { isLive } from "./access/liveKeys.ts"
export { newApiKey } from "./key/key.ts"
export { replaceKey, revokeKey } from "./key/operations.ts"
export { grantCredits } from "./credit/credits.ts"
export { rotateSecret } from "./key/rotateKey.ts"

// Admissions, explanations and replays in process.
export { admitInProcess as admit } from "./decision/admit.ts"
export { explain } from "./decision/explain.ts"
export { NotAdmitted, openCredential } from "./decision/credentials.ts"
export { settleAdmission } from "./decision/settleAdmission.ts"
export { promiseEnforcement } from "./hosting/promiseEnforcement.ts"
export { type PromiseRunner, promiseRunner } from "./hosting/promiseRunner.ts"
export { AdmissionSettings } from "./ledger/AdmissionSettings.ts"
export { cancelAdmission, renewAdmission } from "./ledger/operations.ts"
export { replayUsage } from "./replay/replayUsage.ts"

// What a host brings: detectors, engines of patterns, stores of files, ciphers and digests.
export { exchangesOf, exchangesPerMinute } from "./federation/exchangeToken.ts"
export { explainedAtOnce } from "./federation/VerificationSlots.ts"
export { makeProviderFiles, type ProviderFilesOptions } from "./file/makeProviderFiles.ts"
export { ProviderFiles, type ProviderFileStores } from "./file/ProviderFiles.ts"
export {
  type DetectedKind,
  type Detection,
  Detector,
  DetectorFailed,
  detectorOf,
  type DetectorFunctions
} from "./filter/Detector.ts"
export { makeFairQueue } from "./value/fairQueue.ts"
export { LoopTurns, type LoopTurnsFunctions, WorkingAccount } from "./value/inSlices.ts"
export { PatternEngine } from "./filter/patterns/re2jsEngine.ts"
export { presidioDetector } from "./filter/presidioDetector.ts"
export { scanInSlices, TextScanner, type TextScannerFunctions, isMoreWork } from "./filter/TextScanner.ts"
export { messagesOf, unpackHits } from "./filter/ScanJob.ts"
export { Cipher, type CipherFunctions } from "./platform/Cipher.ts"
export { Digest, type DigestFunctions } from "./platform/Digest.ts"
export { MailTransport } from "./alert/mail.ts"
export { keepSendingAlerts, sendDueAlerts } from "./alert/dispatchAlerts.ts"
export { type Fetch } from "./platform/Fetch.ts"
export { OutgoingFetch } from "./platform/OutgoingFetch.ts"
export {
  type DeliveryHealth,
  deliveryHealth,
  deliveryProblem,
  dispatchDue,
  keepDispatching
} from "./delivery/dispatch.ts"
export { DeliveryMeter } from "./delivery/deliverBatch.ts"
export { deliveryStatus, listDeadLetters, listDeliveries, replayDeadLetters } from "./delivery/operations.ts"
export { type Recipient, recipientOf, selectDestinations } from "./delivery/selectDestinations.ts"
export { isLogged, promptLoggingOf, sampledGroup } from "./prompt/promptLogging.ts"
export { sealBodies, placeOfBodies } from "./prompt/sealBodies.ts"
export { createErasure } from "./erasure/operations.ts"
export { getGenerationContent } from "./usage/generation/generation.ts"
export { isPublicAddress } from "./platform/isPublicAddress.ts"
export { type LogFields, logParts } from "./platform/logParts.ts"
export { openRequest, RequestFailed, sendRequest } from "./platform/sendRequest.ts"
export { emptyBodyHash, signAwsRequest } from "./platform/signAwsRequest.ts"

// Who changes what, and background work.
export { actingAs } from "./ports/changes.ts"
export { type AuditProof, nameEntries, verifyAuditLog } from "./audit/auditLog.ts"
export { placeOfSignature, sealChanges, signEnds } from "./audit/sealChanges.ts"
export {
  type BackgroundJob,
  type JobHealth,
  backgroundJobs,
  jobHealth,
  jobProblem
} from "./background/backgroundTable.ts"
export {
  keepRunning,
  leaseSeconds,
  runBackground,
  runBackgroundOnce,
  startBackground
} from "./background/runBackground.ts"

// HTTP beside the operations: envelopes, bodies and targets.
export { type HeldBytes, bytesInFlight } from "./http/BytesInFlight.ts"
export {
  accountShare,
  defaultBodyLimits,
  keyShare,
  maxBodyGraceMillis,
  maxShortBytes,
  minBodyBytesPerSecond
} from "./http/BodyLimits.ts"
export { measureJson, mostOfValues } from "./value/measureJson.ts"
export { GatheredBytes, copiedAtOnce, pieceBytes } from "./value/bytes.ts"
export { issuesOf } from "./value/checkInput.ts"
export { issuePath } from "./value/issues.ts"
export { envelope, type Printed } from "./http/envelope.ts"
export { publicUrlPattern } from "./http/publicAddress.ts"
export { docUrlPattern, errorDocsFor, isPathOfOurs, routeOf } from "./http/target.ts"
export { CacheBytes } from "./cache/TrustedCache.ts"
export { ProcessName } from "./platform/ProcessName.ts"
export { parseBody } from "./value/parseLongJson.ts"
export { parseJson } from "./value/parseJson.ts"
export { timestamp } from "./value/calendar.ts"

// Catalogues, usage, quotas.
export { defaultStorageLimits, variableOf } from "./ports/storageQuotas.ts"
export { importCatalog } from "./model/putCatalog.ts"
export { planQuery } from "./usage/analytics/planQuery.ts"
export { queryAnalytics } from "./usage/analytics/queryAnalytics.ts"
export { importUsageEvents, recordUsageEvents } from "./usage/recordUsageEvents.ts"
export { invoiceCsv, makeInvoice } from "./usage/invoice/invoice.ts"
export { eventFormatOf, eventFormats, exportHeader } from "./usage/export/printedEvents.ts"
export { textOfSafeCell } from "./value/text.ts"
export { readEventFilter, readStretch } from "./usage/export/exportUsageEvents.ts"

// Secrets and their keys.
export { placeOfKey, unscoped } from "./ports/byok.ts"
export { openConfig, placeOfConfig, sealConfig } from "./observability/config.ts"
export { type SecretsCheck, checkSecrets, rewrapSecrets } from "./rotation/rotation.ts"
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"
export { keyIdOf, layerVault, SecretUnreadable, Vault } from "./vault/Vault.ts"

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
