/**
 * For authors of stores: the ports, their values, and the computations that every store shares.
 *
 * A store is a layer of `StorePorts`, wrapped by `makeStore`. Guide: docs/stores.md; suites: `@gatewarden/conformance`.
 */
export { type Account, Accounts } from "./ports/accounts.ts"
export { type ApiKey, ApiKeys, type AuthenticatedKey, type KeyChange, type KeySecret } from "./ports/keys.ts"
export { AuthorizationCodes, type CodeGrant, type KeptGrant } from "./ports/authorizationCodes.ts"
export {
  type Alert,
  type AlertChannelChange,
  AlertChannels,
  type AlertOutcome,
  type AlertLease,
  Alerts,
  type ChannelFields,
  type ConfirmationLink,
  type ListedAlert,
  MailRecipients,
  type ReplacedChannelConfig,
  type StoredAlertChannel,
  type UnconfirmedRecipient,
  type WantedAlerts
} from "./ports/alerts.ts"
export { type ByokChange, type SealedCredential, type SealedKey, ByokCredentials } from "./ports/byok.ts"
export {
  type AppliedGuardrail,
  type GuardrailScope,
  type PolicySource,
  PolicySources,
  type RateLimitChange,
  type WorkspaceLimit
} from "./ports/policySources.ts"
export { type CreditDraft, Credits } from "./ports/credits.ts"
export { FederationPolicies, type FederationPolicyChange, type TokenUse } from "./ports/federationPolicies.ts"
export {
  type DirectoryGroup,
  DirectoryGroups,
  type DirectoryUser,
  DirectoryUsers,
  type GroupMapping,
  GroupMappings,
  type GroupMember,
  type GroupRefusal,
  type MemberRole,
  type MembersChange,
  type Settled,
  type Settling,
  type SyncJob,
  SyncJobs
} from "./ports/directory.ts"
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
  PersonalRows,
  type PersonalTableName,
  type WalkedUsage
} from "./ports/erasures.ts"
export { FileStorageUnavailable, OutcomeUnknown, StoreUnavailable } from "./value/failure.ts"
export { type ArrivingFile, type ContentFacts, FileContents, type FileFacts, Files } from "./ports/files.ts"
export {
  type Assignee,
  type Assigning,
  type AssignmentFilter,
  type GuardrailsAsked,
  Assignments,
  type GuardrailChange,
  Guardrails
} from "./ports/guardrails.ts"
export { type Claim, type IdempotencyAnswer, IdempotencyRecords, type IdempotencyScope } from "./ports/idempotency.ts"
export {
  type Budget,
  BudgetLedger,
  type BudgetState,
  type BudgetWarning,
  type BudgetWarningKind,
  type ChargedAmount,
  type Cost,
  type HeldAmount,
  type HoldOutcome,
  type HoldRequest,
  KeyRateCounts,
  type KeyRateOutcome,
  type KeyRateUse,
  type OnExpiry,
  type SettleOutcome
} from "./ports/ledger.ts"
export { BudgetWarningFeed } from "./ledger/BudgetWarningFeed.ts"
export { LedgerClock, windowStart } from "./ledger/LedgerClock.ts"
export { RequestCounts, type StoredAmount, StoredAmounts, type WantedSlots } from "./ports/limits.ts"
export { type StoredKind } from "./ports/storageQuotas.ts"
export { ModelCatalog } from "./ports/models.ts"
export { namesToFind, resolveNames } from "./catalog/modelNames.ts"
export {
  type PrivateEndpointChange,
  type PrivateEndpointGuard,
  PrivateEndpoints,
  type PrivateProviderChange,
  PrivateProviders,
  type StoredPrivateEndpoint
} from "./ports/privateEndpoints.ts"
export { type ExternalUserFilter, ExternalUsers, type StoredExternalUser } from "./ports/externalUsers.ts"
export { type EntityName, EntityNames, type NamedKind } from "./ports/names.ts"
export {
  type Acknowledgement,
  type BatchLimits,
  type DeadLetter,
  DeadLetters,
  type DeliveryAttempt,
  type DeliveryBacklog,
  DeliveryLog,
  DeliveryQueue,
  type DeliveryState,
  type DeliveryLease,
  type LoggedAttempt,
  type RequeuedLetter,
  type TurnEnd,
  type WaitingBatch,
  type WaitingDestinations,
  type WaitingEvent,
  type WaitingEvents
} from "./ports/deliveries.ts"
export {
  type AccountEvents,
  type EventFilter,
  Generations,
  type HistoryPlace,
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
  UsageLog
} from "./ports/usage.ts"
export {
  type DestinationChange,
  Destinations,
  type ReplacedConfig,
  type StoredDestination
} from "./ports/destinations.ts"
export { StoreHealth, type StorePorts } from "./ports/StorePorts.ts"
export { type PresetDraft, Presets } from "./ports/presets.ts"
export { makeStore } from "./ports/storeLayer.ts"
export { type Acting, type ActingEach, type Actor, type ActorKind, Acts } from "./ports/acting.ts"
export {
  type AuditBreak,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type AuditVerdict,
  type Facts,
  type NewSignature,
  AuditLog
} from "./ports/auditLog.ts"
export { type Claimed, type JobState, type JobTurn, BackgroundJobs } from "./ports/backgroundJobs.ts"
export { type Change, type Changes, ChangeLog } from "./ports/changeLog.ts"
export { type Retained, Retention } from "./ports/retention.ts"
export {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type AnalyticsResult,
  type AppRankingsRequest,
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
  type SessionCostRequest,
  dimensions
} from "./ports/analytics.ts"
export { metrics } from "./usage/analytics/metrics.ts"
export { rankedModels } from "./usage/rankings/rankings.ts"
export { percentilesOf } from "./model/measureEndpoint.ts"
export { formatUsd, parseUsd, recordableNanos } from "./value/money.ts"
export { Processes, type RunningProcess, type SealedField, type SealedSecret, SealedSecrets } from "./ports/secrets.ts"
export {
  type BudgetDraft,
  type BudgetSet,
  OrganizationSettings,
  type SettingsChange,
  type StoredWorkspace,
  WorkspaceBudgets,
  type WorkspaceChange,
  WorkspaceMembers,
  Workspaces
} from "./ports/workspaces.ts"
