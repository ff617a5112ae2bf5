/**
 * For authors of stores: the ports, their values, and the computations that every store shares.
 *
 * A store is a layer of `StorePorts`, wrapped by `makeStore`. Guide: docs/stores.md; suites: `@gatewarden/conformance`.
 */
export { type Account, Accounts, defaultAccountName } from "./ports/accounts.ts"
export {
  type ApiKey,
  ApiKeys,
  type AuthenticatedKey,
  type KeyChange,
  type KeyFilter,
  type Retirement,
  type Rotation
} from "./ports/keys.ts"
export { areLastManagementKeys, isLastManagementKey } from "./key/isLastManagementKey.ts"
export * from "./ports/keys.ts"
export { AuthorizationCodes, type CodeGrant, type KeptGrant } from "./ports/authorizationCodes.ts"
export * from "./ports/alerts.ts"
export type { AlertChannelChange } from "./ports/alerts.ts"
export * from "./ports/alerts.ts"
export * from "./alert/claimFairly.ts"
export * from "./ports/alerts.ts"
export { type ByokChange, ByokCredentials, type SealedCredential, type SealedKey } from "./ports/byok.ts"
export * from "./ports/policySources.ts"
export { creditGrant } from "./credit/creditGrant.ts"
export * from "./ports/credits.ts"
export {
  FederationPolicies,
  type FederationPolicyChange,
  type NamedPolicy,
  type TokenUse
} from "./ports/federationPolicies.ts"
export * from "./ports/directory.ts"
export * from "./ports/directory.ts"
export { contactOf } from "./directory/directoryUserOf.ts"
export { foldName } from "./value/foldName.ts"
export * from "./ports/directory.ts"
export * from "./ports/directory.ts"
export * from "./ports/directory.ts"
export * from "./ports/erasures.ts"
export * from "./ports/erasures.ts"
export * from "./erasure/obstacles.ts"
export { digestOfPerson, type ErasureRequest, placeOfErasure } from "./erasure/erasureRequest.ts"
export * from "./ports/erasures.ts"
export { type BadRequest, FileStorageUnavailable, OutcomeUnknown, StoreUnavailable } from "./value/failure.ts"
export {
  type ArrivingFile,
  type ContentFacts,
  FileContents,
  type FileFacts,
  type FilePlace,
  Files,
  contentPieceSize
} from "./ports/files.ts"
export type { AppliedGuardrail, GuardrailScope } from "./ports/policySources.ts"
export * from "./ports/guardrails.ts"
export { type GuardrailChange, Guardrails, defaultGuardrailName, unrestricted } from "./ports/guardrails.ts"
export * from "./ports/idempotency.ts"
export * from "./ports/ledger.ts"
export * from "./ports/ledger.ts"
export * from "./ports/ledger.ts"
export * from "./ledger/BudgetWarningFeed.ts"
export * from "./ports/ledger.ts"
export { LedgerClock } from "./ledger/LedgerClock.ts"
export { windowDays, windowStart } from "./ledger/budgetWindow.ts"
export { packSize, unpackSize } from "./ledger/heldSize.ts"
export {
  isOfUser,
  type Spender,
  spenderNameOf,
  spenderOf,
  spenders,
  spendersOf,
  userScopes
} from "./ledger/spenderOf.ts"
export { type Oversized, type StoredKind, isOversized, maxEntityBytes, oversized } from "./ports/limits.ts"
export * from "./ports/limits.ts"
export * from "./ports/limits.ts"
export { quotaState } from "./limits/quotaState.ts"
export { ModelCatalog } from "./ports/models.ts"
export { type ProviderNames, providerNamesOf } from "./catalog/foldedNames.ts"
export { resolveNames } from "./model/modelsNamed.ts"
export {
  type PrivateEndpointRow,
  tagOfPrivateEndpoint,
  withPrivateEndpoints
} from "./privateEndpoint/withPrivateEndpoints.ts"
export * from "./ports/privateEndpoints.ts"
export * from "./ports/privateEndpoints.ts"
export * from "./ports/externalUsers.ts"
export * from "./ports/names.ts"
export {
  claimsOf,
  isTaken,
  type OwnModelLimits,
  privateTags,
  visibleModels,
  type VisibleModel
} from "./catalog/ownModels.ts"
export * from "./catalog/resolveModelName.ts"
export * from "./ports/deliveries.ts"
export * from "./ports/deliveries.ts"
export * from "./ports/deliveries.ts"
export * from "./ports/limits.ts"
export {
  type AccountEvents,
  type KeyOwner,
  type Recorded,
  type SelectedEvent,
  type SelectedEvents,
  type UsageEvent,
  UsageLog
} from "./ports/usage.ts"
export {
  type DestinationChange,
  Destinations,
  type ReplacedConfig,
  type StoredDestination
} from "./ports/destinations.ts"
export { Entropy, type EntropySource } from "./platform/Entropy.ts"
export { StoreHealth, type StorePorts } from "./ports/StorePorts.ts"
export { type PresetDraft, Presets } from "./ports/presets.ts"
export { bytesOfVersion, newPreset } from "./preset/newPreset.ts"
export { makeStore } from "./ports/storeLayer.ts"
export {
  type Acting,
  type ActingEach,
  type Actor,
  type ActorKind,
  Acts,
  type Retained,
  asServer,
  defaultRetention,
  retained,
  retainedNames,
  retentionVariable
} from "./ports/changes.ts"
export * from "./ports/changes.ts"
export { auditedFacts } from "./audit/auditedFacts.ts"
export * from "./ports/changes.ts"
export * from "./ports/changes.ts"
export * from "./ports/changes.ts"
export * from "./background/consume.ts"
export { isTraced } from "./tracing/isTraced.ts"
export * from "./ports/usage.ts"
export * from "./ports/usage.ts"
export { emptyEvent } from "./delivery/emptyEvent.ts"
export * from "./ports/usage.ts"
export * from "./ports/usage.ts"
export {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type AnalyticsResult,
  type AppRankingsRequest,
  type AppRanks,
  DatasetsReader,
  type DayWindow,
  type EndpointStatisticsQuery,
  EndpointStatisticsReader,
  type Key,
  type MetricFilter,
  type OrderTerm,
  type Rankings,
  RankingsReader,
  type RankingsRequest,
  type SampledSums,
  type SessionCostCells,
  type SessionCostRequest,
  type TaskSums,
  type TokenTotal,
  dimensions
} from "./ports/analytics.ts"
export { AnalyticsTimeout } from "./usage/analytics/AnalyticsTimeout.ts"
export { type Metric, metrics, type Total } from "./usage/analytics/metrics.ts"
export { type Granularity, startOfBucket } from "./value/calendar.ts"
export {
  firstCountedDay,
  leastAccounts,
  leastSessions,
  mostTaskModels,
  mostDailyApps,
  mostDailyTasks,
  mostSessionCells,
  mostTasks,
  taskClassifier,
  taskPattern,
  turnRanges,
  windowsBefore
} from "./usage/datasets/datasetRules.ts"
export { appUrlPattern, originOfApp, privateHostPattern } from "./usage/datasets/publicApp.ts"
export { otherModels, rankedModels } from "./usage/rankings/rankDays.ts"
export { addDays, firstRankedDay } from "./usage/rankings/window.ts"
export { percentilesOf, statisticsWindows, uptimeOf } from "./usage/statistics/measureEndpoint.ts"
export { formatDecimal } from "./value/Decimal.ts"
export { everyEntry, maxPageBytes, type Page, type PageRequest } from "./value/Page.ts"
export { compareText } from "./value/compareText.ts"
export { inPieces } from "./value/inPieces.ts"
export { inSlices } from "./value/inSlices.ts"
export { formatUsd, parseUsd, usdNumber } from "./value/money.ts"
export { formatInstant } from "./value/timestamp.ts"
export {
  type AnnouncedProcess,
  Processes,
  type RunningProcess,
  type SealedField,
  type SealedSecret,
  SealedSecrets,
  sealedFields
} from "./ports/secrets.ts"
export { envelopePrefix, type SecretPlace } from "./vault/Vault.ts"
export * from "./ports/workspaces.ts"
export * from "./ports/workspaces.ts"
export * from "./ports/workspaces.ts"
export { type StoredWorkspace, type WorkspaceChange, Workspaces, shownWorkspace } from "./ports/workspaces.ts"
export { changedBudget } from "./workspace/changedBudget.ts"
export { sortBudgets } from "./workspace/sortBudgets.ts"
