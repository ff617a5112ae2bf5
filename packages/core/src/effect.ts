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

export { type Account, Accounts, defaultAccountName } from "./access/Accounts.ts"
export type { ApiKey, AuthenticatedKey } from "./access/ApiKey.ts"
export { ApiKeys, type KeyFilter, type Retirement } from "./access/ApiKeys.ts"
export { authenticate } from "./access/authenticate.ts"
export type { Caller } from "./access/Caller.ts"
export { createAccount, ensureDefaultAccount } from "./access/createAccount.ts"
export { resumeAccount, suspendAccount } from "./access/suspendAccount.ts"
export { isLastManagementKey } from "./access/isLastManagementKey.ts"
export { isLive } from "./access/isLive.ts"
export { KeyCache } from "./access/KeyCache.ts"
export { forgetKey } from "./access/forgetKey.ts"
export { announceChange } from "./stream/announceChange.ts"
export * from "./stream/BackgroundJobs.ts"
export { backgroundJobs, type BackgroundJob } from "./stream/backgroundTable.ts"
export * from "./stream/ChangeLog.ts"
export type * from "./stream/JobReport.ts"
export * from "./stream/retained.ts"
export * from "./stream/Retention.ts"
export * from "./stream/consume.ts"
export * from "./stream/jobHealth.ts"
export * from "./stream/runBackground.ts"
export { runBackgroundOnce, startBackground } from "./stream/startBackground.ts"
export { checkKeyFormat } from "./access/KeyFormat.ts"
export type { KeyChange } from "./access/keyChange.ts"
export { newApiKey } from "./access/newApiKey.ts"
export { revokeKey } from "./access/revokeKey.ts"
export { rotateManagementKey } from "./access/rotateManagementKey.ts"
export type { AnalyticsPlan, Key, MetricFilter, OrderTerm } from "./usage/analytics/AnalyticsPlan.ts"
export { type AnalyticsCell, AnalyticsReader, type AnalyticsResult } from "./usage/analytics/AnalyticsReader.ts"
export { AnalyticsTimeout } from "./usage/analytics/AnalyticsTimeout.ts"
export { formatDecimal } from "./value/Decimal.ts"
export { dimensions } from "./usage/analytics/dimensions.ts"
export { type Metric, metrics, type Total } from "./usage/analytics/metrics.ts"
export { type PlannedQuery, planQuery } from "./usage/analytics/planQuery.ts"
export { queryAnalytics } from "./usage/analytics/queryAnalytics.ts"
export { type Granularity, startOfBucket } from "./usage/analytics/timeWindow.ts"
export { firstRankedDay } from "./usage/rankings/window.ts"
export { AuthorizationCodes } from "./authorization/AuthorizationCodes.ts"
export type { CodeGrant, KeptGrant } from "./authorization/CodeGrant.ts"
export { type ByokChange, unscoped } from "./byok/byokChange.ts"
export { ByokCredentials, type SealedCredential } from "./byok/ByokCredentials.ts"
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
export { placeOfKey, type SealedKey } from "./byok/sealKey.ts"
export { FileStorageUnavailable, OutcomeUnknown, StoreUnavailable } from "./failure.ts"
export { contentPieceSize, FileContents } from "./file/FileContents.ts"
export { type ArrivingFile, type ContentFacts, type FileFacts, Files } from "./file/Files.ts"
export { copiedAtOnce, joinBytes, pieceBytes } from "./value/joinBytes.ts"
export { inSlices } from "./value/inSlices.ts"
export { inPieces } from "./value/inPieces.ts"
export { admitInProcess as admit } from "./decision/admit.ts"
export { AdmissionSettings } from "./ledger/AdmissionSettings.ts"
export * from "./ledger/Budget.ts"
export * from "./ledger/BudgetLedger.ts"
export { packSize, unpackSize } from "./ledger/heldSize.ts"
export * from "./ledger/BudgetWarning.ts"
export * from "./ledger/BudgetWarningFeed.ts"
export type { WorkspaceLimit } from "./ledger/budgetsOf.ts"
export { windowDays, windowStart } from "./ledger/budgetWindow.ts"
export { providerNamesOf } from "./model/foldedNames.ts"
export { candidateOf } from "./decision/Candidate.ts"
export { compilePolicy } from "./decision/CompiledPolicy.ts"
export type { AppliedGuardrail, GuardrailScope } from "./guardrail/AppliedGuardrail.ts"
export { permittedCandidates } from "./decision/decide.ts"
export { cancelAdmission } from "./ledger/cancelAdmission.ts"
export { DecisionCache } from "./decision/DecisionCache.ts"
export { explain } from "./decision/explain.ts"
export { NotAdmitted, openCredential } from "./decision/openCredential.ts"
export { LedgerClock } from "./ledger/LedgerClock.ts"
export { LiveAdmissions } from "./ledger/LiveAdmissions.ts"
export * from "./ledger/KeyRates.ts"
export * from "./decision/PolicySources.ts"
export { promiseEnforcement } from "./hosting/promiseEnforcement.ts"
export { promiseRunner } from "./hosting/promiseRunner.ts"
export { renewAdmission } from "./ledger/renewAdmission.ts"
export { replayUsage } from "./replay/replayUsage.ts"
export { settleAdmission } from "./decision/settleAdmission.ts"
export { firstPartyProviders, ZdrGroups } from "./decision/zdrGroups.ts"
export { layerInstance } from "./layerInstance.ts"
export { type Spender, spenderOf } from "./ledger/spenderOf.ts"
export { makeProviderFiles, type ProviderFilesOptions } from "./file/makeProviderFiles.ts"
export { ProviderFiles, type ProviderFileStores } from "./file/ProviderFiles.ts"
export * from "./guardrail/Assignments.ts"
export { defaultGuardrailName, type GuardrailChange, unrestricted } from "./guardrail/guardrailChange.ts"
export { getGuardrail } from "./guardrail/getGuardrail.ts"
export { Guardrails } from "./guardrail/Guardrails.ts"
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
export * from "./idempotency/IdempotencyRecords.ts"
export { quotaState } from "./limits/quotaState.ts"
export * from "./limits/RateLimits.ts"
export {
  defaultStorageLimits,
  type StorageLimits,
  storageQuotas,
  type StoredKind,
  variableOf
} from "./limits/storageQuotas.ts"
export * from "./limits/StoredAmounts.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export { type EndpointStatisticsQuery, EndpointStatisticsReader } from "./usage/statistics/EndpointStatisticsReader.ts"
export { percentilesOf, statisticsWindows, uptimeOf } from "./usage/statistics/measureEndpoint.ts"
export { ModelCatalog } from "./model/ModelCatalog.ts"
export { modelsNamed, resolveNames } from "./model/modelsNamed.ts"
export { claimsOf, isTaken, visibleModels, type VisibleModel } from "./model/ownModels.ts"
export { importCatalog } from "./model/putCatalog.ts"
export * from "./model/resolveModelName.ts"
export { Destinations } from "./observability/Destinations.ts"
export { placeOfConfig } from "./observability/sealConfig.ts"
export type { Page, PageRequest } from "./value/Page.ts"
export { Cipher, type CipherFunctions } from "./platform/Cipher.ts"
export { compareText } from "./value/compareText.ts"
export { type OpenedInstance, openInstance } from "./openInstance.ts"
export { Digest, type DigestFunctions } from "./platform/Digest.ts"
export { type LogFields, logParts } from "./platform/logParts.ts"
export { Entropy, type EntropySource } from "./platform/Entropy.ts"
export { isPublicAddress } from "./platform/isPublicAddress.ts"
export type { Fetch } from "./platform/Fetch.ts"
export { RequestFailed, sendRequest } from "./platform/sendRequest.ts"
export { formatInstant, timestamp } from "./value/timestamp.ts"
export { newPreset, type PresetRow } from "./preset/newPreset.ts"
export { type PresetDraft, Presets } from "./preset/Presets.ts"
export { type InstanceOptions, startInstance, startServices } from "./startInstance.ts"
export type { Store } from "./Store.ts"
export { makePlatform } from "./platformLayer.ts"
export { makeStore, storeLayer } from "./storeLayer.ts"
export { otherModels, rankedModels } from "./usage/rankings/rankDays.ts"
export { type Rankings, RankingsReader, type RankingsRequest } from "./usage/rankings/RankingsReader.ts"
export { StoreHealth } from "./platform/StoreHealth.ts"
export type { Services, StorePorts } from "./ports.ts"
export { isTraced } from "./tracing/isTraced.ts"
export * from "./usage/KeyUsageReader.ts"
export { formatUsd, parseUsd } from "./value/money.ts"
export type { AccountEvents, UsageEvent } from "./usage/UsageEvent.ts"
export { importUsageEvents } from "./usage/importUsageEvents.ts"
export { recordUsageEvents } from "./usage/recordUsageEvents.ts"
export * from "./usage/UsageHistory.ts"
export { type KeyOwner, type Recorded, UsageLog } from "./usage/UsageLog.ts"
export { checkSecrets, type SecretsCheck } from "./vault/checkSecrets.ts"
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"
export { rewrapSecrets } from "./vault/rewrapSecrets.ts"
export { type SealedField, sealedFields, type SealedSecret, SealedSecrets } from "./vault/SealedSecrets.ts"
export { envelopePrefix, keyIdOf, layerVault, type SecretPlace, SecretUnreadable, Vault } from "./vault/Vault.ts"
export { budgetsRise } from "./workspace/budgetsRise.ts"
export { changedBudget } from "./workspace/changedBudget.ts"
export { sortBudgets } from "./workspace/sortBudgets.ts"
export * from "./workspace/WorkspaceBudgets.ts"
export * from "./workspace/WorkspaceMembers.ts"
export { Workspaces } from "./workspace/Workspaces.ts"

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
