/**
 * For authors of stores: the ports, their values, and the computations that every store shares.
 *
 * A store is a layer of `StorePorts`, wrapped by `makeStore`. Guide: docs/stores.md; suites: `@gatewarden/conformance`.
 */
export { type Account, Accounts, defaultAccountName } from "./access/Accounts.ts"
export type { ApiKey, AuthenticatedKey } from "./key/ApiKey.ts"
export { ApiKeys, type KeyFilter, type Retirement, type Rotation } from "./key/ApiKeys.ts"
export { areLastManagementKeys, isLastManagementKey } from "./key/isLastManagementKey.ts"
export * from "./key/KeySecret.ts"
export type { KeyChange } from "./key/keyChange.ts"
export { AuthorizationCodes } from "./authorization/AuthorizationCodes.ts"
export type { CodeGrant, KeptGrant } from "./authorization/CodeGrant.ts"
export * from "./alert/AlertChannels.ts"
export type { AlertChannelChange } from "./alert/alertChannelChange.ts"
export * from "./alert/Alerts.ts"
export * from "./alert/claimFairly.ts"
export * from "./alert/MailRecipients.ts"
export { ByokCredentials, type SealedCredential } from "./byok/ByokCredentials.ts"
export type { ByokChange } from "./byok/byokChange.ts"
export type { SealedKey } from "./byok/sealKey.ts"
export * from "./access/PolicySources.ts"
export { creditGrant } from "./credit/creditGrant.ts"
export * from "./credit/Credits.ts"
export { FederationPolicies, type NamedPolicy, type TokenUse } from "./federation/FederationPolicies.ts"
export type { FederationPolicyChange } from "./federation/federationPolicyChange.ts"
export * from "./directory/DirectoryGroups.ts"
export * from "./directory/DirectoryUsers.ts"
export { contactOf } from "./directory/directoryUserOf.ts"
export { foldName } from "./directory/foldName.ts"
export * from "./directory/GroupMappings.ts"
export * from "./directory/Settling.ts"
export * from "./directory/SyncJobs.ts"
export * from "./erasure/personalTables.ts"
export * from "./erasure/Erasures.ts"
export * from "./erasure/obstacles.ts"
export { digestOfPerson, type ErasureRequest, placeOfErasure } from "./erasure/erasureRequest.ts"
export * from "./erasure/PersonalRows.ts"
export { type BadRequest, FileStorageUnavailable, OutcomeUnknown, StoreUnavailable } from "./failure.ts"
export { contentPieceSize, FileContents } from "./file/FileContents.ts"
export { type ArrivingFile, type ContentFacts, type FileFacts, type FilePlace, Files } from "./file/Files.ts"
export type { AppliedGuardrail, GuardrailScope } from "./guardrail/AppliedGuardrail.ts"
export * from "./guardrail/Assignments.ts"
export { Guardrails } from "./guardrail/Guardrails.ts"
export { defaultGuardrailName, type GuardrailChange, unrestricted } from "./guardrail/guardrailChange.ts"
export * from "./idempotency/IdempotencyRecords.ts"
export * from "./ledger/Budget.ts"
export * from "./ledger/BudgetLedger.ts"
export * from "./ledger/BudgetWarning.ts"
export * from "./ledger/BudgetWarningFeed.ts"
export * from "./ledger/KeyRateCounts.ts"
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
export { isOversized, maxEntityBytes, type Oversized, oversized } from "./limits/entityBytes.ts"
export * from "./limits/RequestCounts.ts"
export * from "./limits/StoredAmounts.ts"
export { quotaState } from "./limits/quotaState.ts"
export type { StoredKind } from "./limits/storageQuotas.ts"
export { ModelCatalog } from "./model/ModelCatalog.ts"
export { type ProviderNames, providerNamesOf } from "./model/foldedNames.ts"
export { resolveNames } from "./model/modelsNamed.ts"
export { type PrivateEndpointRow, tagOfPrivateEndpoint, withPrivateEndpoints } from "./model/withPrivateEndpoints.ts"
export * from "./privateEndpoint/PrivateEndpoints.ts"
export * from "./privateEndpoint/PrivateProviders.ts"
export * from "./externalUser/ExternalUsers.ts"
export * from "./naming/EntityNames.ts"
export {
  claimsOf,
  isTaken,
  type OwnModelLimits,
  privateTags,
  visibleModels,
  type VisibleModel
} from "./model/ownModels.ts"
export * from "./model/resolveModelName.ts"
export * from "./delivery/DeadLetters.ts"
export * from "./delivery/DeliveryLog.ts"
export * from "./delivery/DeliveryQueue.ts"
export * from "./limits/WantedSlots.ts"
export type { SelectedEvent, SelectedEvents } from "./delivery/SelectedEvent.ts"
export { Destinations, type ReplacedConfig, type StoredDestination } from "./observability/Destinations.ts"
export type { DestinationChange } from "./observability/destinationChange.ts"
export { Entropy, type EntropySource } from "./platform/Entropy.ts"
export { StoreHealth } from "./platform/StoreHealth.ts"
export type { StorePorts } from "./ports.ts"
export { type PresetDraft, Presets } from "./preset/Presets.ts"
export { bytesOfVersion, newPreset } from "./preset/newPreset.ts"
export { makeStore } from "./storeLayer.ts"
export { type Acting, type ActingEach, type Actor, type ActorKind, Acts, asServer } from "./stream/Acting.ts"
export * from "./stream/AuditLog.ts"
export { auditedFacts } from "./stream/auditedFacts.ts"
export * from "./stream/BackgroundJobs.ts"
export * from "./stream/ChangeLog.ts"
export * from "./stream/Retention.ts"
export * from "./stream/consume.ts"
export { defaultRetention, type Retained, retained, retainedNames, retentionVariable } from "./stream/retained.ts"
export { isTraced } from "./tracing/isTraced.ts"
export * from "./usage/generation/Generations.ts"
export * from "./usage/KeyUsageReader.ts"
export { emptyEvent } from "./usage/emptyEvent.ts"
export type { AccountEvents, UsageEvent } from "./usage/UsageEvent.ts"
export * from "./usage/UsageHistory.ts"
export * from "./usage/export/EventFilter.ts"
export { type KeyOwner, type Recorded, UsageLog } from "./usage/UsageLog.ts"
export type { AnalyticsPlan, Key, MetricFilter, OrderTerm } from "./usage/analytics/AnalyticsPlan.ts"
export { type AnalyticsCell, AnalyticsReader, type AnalyticsResult } from "./usage/analytics/AnalyticsReader.ts"
export { AnalyticsTimeout } from "./usage/analytics/AnalyticsTimeout.ts"
export { dimensions } from "./usage/analytics/dimensions.ts"
export { type Metric, metrics, type Total } from "./usage/analytics/metrics.ts"
export { type Granularity, startOfBucket } from "./value/calendar.ts"
export {
  type Rankings,
  RankingsReader,
  type RankingsRequest,
  type TokenTotal
} from "./usage/rankings/RankingsReader.ts"
export {
  type AppRankingsRequest,
  type AppRanks,
  DatasetsReader,
  type DayWindow,
  type SampledSums,
  type SessionCostCells,
  type SessionCostRequest,
  type TaskSums
} from "./usage/datasets/DatasetsReader.ts"
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
export { type EndpointStatisticsQuery, EndpointStatisticsReader } from "./usage/statistics/EndpointStatisticsReader.ts"
export { percentilesOf, statisticsWindows, uptimeOf } from "./usage/statistics/measureEndpoint.ts"
export { formatDecimal } from "./value/Decimal.ts"
export { everyEntry, maxPageBytes, type Page, type PageRequest } from "./value/Page.ts"
export { compareText } from "./value/compareText.ts"
export { inPieces } from "./value/inPieces.ts"
export { inSlices } from "./value/inSlices.ts"
export { formatUsd, parseUsd, usdNumber } from "./value/money.ts"
export { formatInstant } from "./value/timestamp.ts"
export { type AnnouncedProcess, Processes, type RunningProcess } from "./vault/Processes.ts"
export { type SealedField, sealedFields, type SealedSecret, SealedSecrets } from "./vault/SealedSecrets.ts"
export { envelopePrefix, type SecretPlace } from "./vault/Vault.ts"
export * from "./workspace/OrganizationSettings.ts"
export * from "./workspace/WorkspaceBudgets.ts"
export * from "./workspace/WorkspaceMembers.ts"
export { Workspaces } from "./workspace/Workspaces.ts"
export { shownWorkspace, type StoredWorkspace } from "./workspace/StoredWorkspace.ts"
export type { WorkspaceChange } from "./workspace/workspaceChange.ts"
export { changedBudget } from "./workspace/changedBudget.ts"
export { sortBudgets } from "./workspace/sortBudgets.ts"
