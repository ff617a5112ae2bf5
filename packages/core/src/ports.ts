/** All ports of a store. A store implements every one of them. */
import type { Accounts } from "./access/Accounts.ts"
import type { AlertChannels } from "./alert/AlertChannels.ts"
import type { Alerts } from "./alert/Alerts.ts"
import type { MailRecipients } from "./alert/MailRecipients.ts"
import type { ApiKeys } from "./key/ApiKeys.ts"
import type { KeyCache } from "./access/KeyCache.ts"
import type { AnalyticsReader } from "./usage/analytics/AnalyticsReader.ts"
import type { AuthorizationCodes } from "./authorization/AuthorizationCodes.ts"
import type { ByokCredentials } from "./byok/ByokCredentials.ts"
import type { AdmissionTokens } from "./access/AdmissionTokens.ts"
import type { BudgetLedger } from "./ledger/BudgetLedger.ts"
import type { BackgroundJobs } from "./stream/BackgroundJobs.ts"
import type { AuditLog } from "./stream/AuditLog.ts"
import type { ChangeLog } from "./stream/ChangeLog.ts"
import type { Retention } from "./stream/Retention.ts"
import type { DecisionCache } from "./decision/DecisionCache.ts"
import type { AdmittedSizes } from "./ledger/AdmittedSizes.ts"
import type { LiveAdmissions } from "./ledger/LiveAdmissions.ts"
import type { KeyRateCounts } from "./ledger/KeyRateCounts.ts"
import type { PolicySources } from "./access/PolicySources.ts"
import type { Credits } from "./credit/Credits.ts"
import type { FederationPolicies } from "./federation/FederationPolicies.ts"
import type { IssuerKeys } from "./federation/IssuerKeys.ts"
import type { AnalyticsSlots } from "./usage/analytics/AnalyticsSlots.ts"
import type { VerificationSlots } from "./federation/VerificationSlots.ts"
import type { FileContents } from "./file/FileContents.ts"
import type { Files } from "./file/Files.ts"
import type { Assignments } from "./guardrail/Assignments.ts"
import type { Guardrails } from "./guardrail/Guardrails.ts"
import type { IdempotencyRecords } from "./idempotency/IdempotencyRecords.ts"
import type { RequestCounts } from "./limits/RequestCounts.ts"
import type { StoredAmounts } from "./limits/StoredAmounts.ts"
import type { DirectoryGroups } from "./directory/DirectoryGroups.ts"
import type { DirectoryUsers } from "./directory/DirectoryUsers.ts"
import type { SyncJobs } from "./directory/SyncJobs.ts"
import type { GroupMappings } from "./directory/GroupMappings.ts"
import type { EndpointStatisticsReader } from "./usage/statistics/EndpointStatisticsReader.ts"
import type { CatalogAnswers } from "./model/CatalogAnswers.ts"
import type { ModelCatalog } from "./model/ModelCatalog.ts"
import type { DeadLetters } from "./delivery/DeadLetters.ts"
import type { DeliveryLog } from "./delivery/DeliveryLog.ts"
import type { DeliveryQueue } from "./delivery/DeliveryQueue.ts"
import type { DeliverySignal } from "./delivery/DeliverySignal.ts"
import type { RecipientCache } from "./delivery/RecipientCache.ts"
import type { Destinations } from "./observability/Destinations.ts"
import type { EntityNames } from "./naming/EntityNames.ts"
import type { Presets } from "./preset/Presets.ts"
import type { DatasetsReader } from "./usage/datasets/DatasetsReader.ts"
import type { RankingsReader } from "./usage/rankings/RankingsReader.ts"
import type { StoreHealth } from "./platform/StoreHealth.ts"
import type { KeyUsageReader } from "./usage/KeyUsageReader.ts"
import type { Generations } from "./usage/generation/Generations.ts"
import type { Erasures } from "./erasure/Erasures.ts"
import type { PersonalRows } from "./erasure/PersonalRows.ts"
import type { UsageHistory } from "./usage/UsageHistory.ts"
import type { UsageLog } from "./usage/UsageLog.ts"
import type { PrivateEndpoints } from "./privateEndpoint/PrivateEndpoints.ts"
import type { ExternalUsers } from "./externalUser/ExternalUsers.ts"
import type { PrivateProviders } from "./privateEndpoint/PrivateProviders.ts"
import type { Processes } from "./vault/Processes.ts"
import type { SealedSecrets } from "./vault/SealedSecrets.ts"
import type { Vault } from "./vault/Vault.ts"
import type { OrganizationSettings } from "./workspace/OrganizationSettings.ts"
import type { WorkspaceBudgets } from "./workspace/WorkspaceBudgets.ts"
import type { WorkspaceMembers } from "./workspace/WorkspaceMembers.ts"
import type { Workspaces } from "./workspace/Workspaces.ts"

/** The ports of a store. */
export type StorePorts =
  | Accounts
  | AlertChannels
  | Alerts
  | AnalyticsReader
  | AuditLog
  | ApiKeys
  | Assignments
  | AuthorizationCodes
  | BackgroundJobs
  | BudgetLedger
  | ByokCredentials
  | ChangeLog
  | DeadLetters
  | DeliveryLog
  | DeliveryQueue
  | Destinations
  | Credits
  | FederationPolicies
  | DirectoryGroups
  | DirectoryUsers
  | FileContents
  | Files
  | Generations
  | GroupMappings
  | Guardrails
  | IdempotencyRecords
  | KeyRateCounts
  | KeyUsageReader
  | MailRecipients
  | ModelCatalog
  | EntityNames
  | ExternalUsers
  | OrganizationSettings
  | EndpointStatisticsReader
  | Erasures
  | PersonalRows
  | PolicySources
  | Presets
  | PrivateEndpoints
  | PrivateProviders
  | Processes
  | DatasetsReader
  | RankingsReader
  | RequestCounts
  | Retention
  | SealedSecrets
  | StoreHealth
  | StoredAmounts
  | SyncJobs
  | UsageHistory
  | UsageLog
  | WorkspaceBudgets
  | WorkspaceMembers
  | Workspaces

/** The services that operations may use: the ports of the store, and the services of the instance. */
export type Services =
  | StorePorts
  | AdmissionTokens
  | AdmittedSizes
  | CatalogAnswers
  | DecisionCache
  | IssuerKeys
  | VerificationSlots
  | AnalyticsSlots
  | DeliverySignal
  | RecipientCache
  | KeyCache
  | LiveAdmissions
  | Vault
