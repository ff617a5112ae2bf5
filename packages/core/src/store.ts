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
  type KeySecret,
  type Retirement,
  type Rotation,
  endOfSecret,
  mostFormerSecrets,
  mostKnownSecrets,
  mostLiveSecrets,
  rotatedSecrets
} from "./ports/keys.ts"
export { areLastManagementKeys, isLastManagementKey } from "./key/managementKeys.ts"
export { AuthorizationCodes, type CodeGrant, type KeptGrant } from "./ports/authorizationCodes.ts"
export {
  type Alert,
  type AlertChannelChange,
  AlertChannels,
  type AlertOutcome,
  type AlertTurn,
  Alerts,
  type ChannelFields,
  type ConfirmationLink,
  type ListedAlert,
  MailRecipients,
  type ReplacedChannelConfig,
  type StoredAlertChannel,
  type UnconfirmedRecipient,
  type WantedAlerts,
  expiryDays,
  failingSeconds,
  quietWaitSeconds,
  refusingSeconds,
  standingCrossings
} from "./ports/alerts.ts"
export { type DueAlert, claimFairly, mostOfMail } from "./alert/claimFairly.ts"
export { type ByokChange, ByokCredentials, type SealedCredential, type SealedKey } from "./ports/byok.ts"
export {
  type AppliedGuardrail,
  type GuardrailScope,
  type PolicySource,
  PolicySources,
  type RateLimitChange,
  type WorkspaceLimit
} from "./ports/policySources.ts"
export { creditGrant } from "./credit/credits.ts"
export { type CreditDraft, type CreditTotals, Credits, mostCreditNanos } from "./ports/credits.ts"
export {
  FederationPolicies,
  type FederationPolicyChange,
  type NamedPolicy,
  type TokenUse
} from "./ports/federationPolicies.ts"
export {
  type DirectoryGroup,
  DirectoryGroups,
  type DirectoryUser,
  DirectoryUsers,
  type GroupChange,
  type GroupMapping,
  GroupMappings,
  type GroupMember,
  type GroupRefusal,
  type MemberRole,
  type MembersChange,
  type Settled,
  type Settling,
  type Sought,
  type SyncJob,
  SyncJobs,
  type SyncedGroups,
  membershipId
} from "./ports/directory.ts"
export { contactOf } from "./directory/directoryResource.ts"
export { compareText, foldName } from "./value/text.ts"
export {
  type DueErasure,
  type Erasure,
  type ErasureDraft,
  type ErasureStep,
  type ErasureWork,
  Erasures,
  type FeedbackOn,
  type NamedEvent,
  type Person,
  type PersonalRow,
  PersonalRows,
  type PersonalTable,
  type PersonalTableName,
  type WalkedUsage,
  addErased,
  erasureSteps,
  namedIn,
  personalTableNames,
  personalTables,
  stepAfter
} from "./ports/erasures.ts"
export {
  type ErasureRequest,
  type LastingKind,
  digestOfPerson,
  isLasting,
  obstaclesOf,
  placeOfErasure,
  remedies
} from "./erasure/erasure.ts"
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
export {
  type Assigned,
  type Assignee,
  type Assigning,
  type AssignmentFilter,
  type GuardrailsAsked,
  Assignments,
  type GuardrailChange,
  Guardrails,
  defaultGuardrailName,
  unrestricted
} from "./ports/guardrails.ts"
export {
  type Claim,
  type IdempotencyAnswer,
  IdempotencyRecords,
  type IdempotencyScope,
  idempotencyLifetimeMillis,
  placeOfAnswer
} from "./ports/idempotency.ts"
export {
  type Budget,
  BudgetLedger,
  type BudgetState,
  type BudgetWarning,
  type BudgetWarningKind,
  type ChargedAmount,
  type Cost,
  type HeldAmount,
  type HeldUnder,
  type HoldOutcome,
  type HoldRequest,
  KeyRateCounts,
  type KeyRateOutcome,
  type KeyRateRequest,
  type KeyRateUse,
  type OnExpiry,
  type SettleOutcome,
  exceededRates,
  rateSpanMillis,
  warningKinds,
  warningPercents
} from "./ports/ledger.ts"
export {
  BudgetWarningFeed,
  type BudgetWarningListener,
  type BudgetWarningListeners,
  layerBudgetWarningFeed,
  makeBudgetWarningFeed
} from "./ledger/BudgetWarningFeed.ts"
export { LedgerClock, windowDays, windowStart } from "./ledger/LedgerClock.ts"
export {
  type Amounts,
  type DueWarning,
  type HoldJudgement,
  judgeHold,
  judgeSettlement,
  type SettlementJudgement
} from "./ledger/judge.ts"
export { packSize, unpackSize } from "./ledger/AdmissionSettings.ts"
export {
  isOfUser,
  type Spender,
  spenderNameOf,
  spenderOf,
  spenders,
  spendersOf,
  userScopes
} from "./ledger/budgetsOf.ts"
export {
  type CountedRequest,
  type Oversized,
  type Quota,
  type QuotaState,
  type QuotaWindow,
  RequestCounts,
  type StoredAmount,
  StoredAmounts,
  type WantedSlots,
  isOversized,
  maxEntityBytes,
  oversized,
  shareOf,
  takeFairly,
  withoutShare
} from "./ports/limits.ts"
export { type StoredKind } from "./ports/storageQuotas.ts"
export { quotaState } from "./limits/requireRoom.ts"
export { ModelCatalog } from "./ports/models.ts"
export {
  type ModelName,
  type NamedModel,
  type ProviderNames,
  type ResolvedModel,
  type Variants,
  entriesOf,
  findModel,
  hasVariant,
  joinVariant,
  namesToFind,
  providerNamesOf,
  recordedName,
  resolveModelName,
  splitVariant,
  variantsOf
} from "./catalog/modelNames.ts"
export { resolveNames } from "./model/models.ts"
export {
  type PrivateEndpointRow,
  tagOfPrivateEndpoint,
  withPrivateEndpoints
} from "./privateEndpoint/withPrivateEndpoints.ts"
export {
  type PrivateEndpointChange,
  type PrivateEndpointGuard,
  PrivateEndpoints,
  type PrivateProviderChange,
  PrivateProviders,
  type StoredPrivateEndpoint
} from "./ports/privateEndpoints.ts"
export {
  type ExternalUserFilter,
  ExternalUsers,
  type StoredExternalUser,
  printedExternalUser
} from "./ports/externalUsers.ts"
export { type EntityName, EntityNames, type NamedKind, mostNamed } from "./ports/names.ts"
export {
  claimsOf,
  isTaken,
  type OwnModelLimits,
  privateTags,
  visibleModels,
  type VisibleModel
} from "./catalog/ownModels.ts"
export {
  type Acknowledgement,
  type AttemptOutcome,
  type AttemptsRequest,
  type BatchLimits,
  type DeadLetter,
  DeadLetters,
  type DeliveryAttempt,
  type DeliveryBacklog,
  DeliveryLog,
  DeliveryQueue,
  type DeliveryState,
  type DeliveryTurn,
  type LastAnswer,
  type LoggedAttempt,
  type NewDeadLetter,
  type RequeuedLetter,
  type TurnEnd,
  type WaitingBatch,
  type WaitingDestinations,
  type WaitingEvent,
  type WaitingEvents,
  type WantedTurns,
  keptAttempts,
  mostWaitingCounted,
  placeOfDeadBodies,
  refusalsUntilRefusing
} from "./ports/deliveries.ts"
export {
  type AccountEvents,
  type EqualField,
  type EventFilter,
  type EventTag,
  Generations,
  type HistoryPage,
  type HistoryPlace,
  type HistoryRange,
  type KeptContent,
  type KeyOwner,
  type KeyUsage,
  KeyUsageReader,
  type Recorded,
  type RecordedGeneration,
  type RecordedUse,
  type SelectedEvent,
  type SelectedEvents,
  type Spending,
  type UsageEvent,
  UsageHistory,
  UsageLog,
  bytesAtOnce,
  equalFields,
  eventsAtOnce,
  noUsage,
  passes,
  spendingOf
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
export { bytesOfVersion, newPreset } from "./preset/preset.ts"
export { makeStore } from "./ports/storeLayer.ts"
export {
  type Acting,
  type ActingEach,
  type Actor,
  type ActorKind,
  Acts,
  type AuditBreak,
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  type AuditPage,
  type AuditVerdict,
  BackgroundJobs,
  type Change,
  ChangeLog,
  type Changes,
  type ChangesRead,
  type Claimed,
  type Committed,
  type Facts,
  type Finish,
  type InsertedChange,
  type JobState,
  type JobTurn,
  type MovedEnd,
  type NewSignature,
  type RecordedActor,
  Retention,
  type SignedEnd,
  asServer,
  auditExamined,
  auditPageBytes,
  maxBroken,
  maxChanges,
  sealBatch
} from "./ports/changes.ts"
export { type Retained, defaultRetention, retained, retainedNames, retentionVariable } from "./ports/retention.ts"
export { auditedFacts } from "./audit/auditedFacts.ts"
export { type FactsRead, type StreamReader, consume } from "./background/backgroundTable.ts"
export { isTraced } from "./tracing/operation.ts"
export { emptyEvent } from "./delivery/testDestinationEvent.ts"
export { weighBody } from "./delivery/withoutMedia.ts"
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
export { AnalyticsTimeout } from "./usage/analytics/AnalyticsSlots.ts"
export { type Metric, metrics, type Total } from "./usage/analytics/metrics.ts"
export { type Granularity, formatInstant, startOfBucket } from "./value/calendar.ts"
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
export { appUrlPattern, originOfApp, privateHostPattern } from "./usage/datasets/datasets.ts"
export { otherModels, rankedModels } from "./usage/rankings/rankings.ts"
export { addDays, firstRankedDay } from "./usage/rankings/window.ts"
export { percentilesOf, statisticsWindows, uptimeOf } from "./usage/statistics/measureEndpoint.ts"
export { formatDecimal, formatUsd, parseUsd, recordableNanos, usdNumber } from "./value/money.ts"
export { everyEntry, maxPageBytes, type Page, type PageRequest } from "./value/Page.ts"
export { inPieces } from "./value/bytes.ts"
export { inSlices } from "./value/inSlices.ts"
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
export {
  type BudgetDraft,
  type BudgetSet,
  type Contact,
  type NewMember,
  OrganizationSettings,
  type SettingsChange,
  type StoredWorkspace,
  type User,
  WorkspaceBudgets,
  type WorkspaceChange,
  WorkspaceMembers,
  Workspaces,
  defaultOrganizationSettings,
  shownWorkspace
} from "./ports/workspaces.ts"
export { changedBudget, sortBudgets } from "./workspace/budgets.ts"
