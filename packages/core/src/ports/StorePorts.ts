import { Context, type Effect } from "effect"
import type { Accounts } from "./accounts.ts"
import type { AlertChannels, Alerts, MailRecipients } from "./alerts.ts"
import type { AnalyticsReader, DatasetsReader, EndpointStatisticsReader, RankingsReader } from "./analytics.ts"
import type { AuthorizationCodes } from "./authorizationCodes.ts"
import type { ByokCredentials } from "./byok.ts"
import type { AuditLog } from "./auditLog.ts"
import type { BackgroundJobs } from "./backgroundJobs.ts"
import type { ChangeLog } from "./changeLog.ts"
import type { Retention } from "./retention.ts"
import type { Credits } from "./credits.ts"
import type { DeadLetters, DeliveryLog, DeliveryQueue } from "./deliveries.ts"
import type { Destinations } from "./destinations.ts"
import type { DirectoryGroups, DirectoryUsers, GroupMappings, SyncJobs } from "./directory.ts"
import type { Erasures, PersonalRows } from "./erasures.ts"
import type { ExternalUsers } from "./externalUsers.ts"
import type { FederationPolicies } from "./federationPolicies.ts"
import type { FileContents, Files } from "./files.ts"
import type { Assignments, Guardrails } from "./guardrails.ts"
import type { IdempotencyRecords } from "./idempotency.ts"
import type { ApiKeys } from "./keys.ts"
import type { BudgetLedger, KeyRateCounts } from "./ledger.ts"
import type { RequestCounts, StoredAmounts } from "./limits.ts"
import type { ModelCatalog } from "./models.ts"
import type { EntityNames } from "./names.ts"
import type { PolicySources } from "./policySources.ts"
import type { Presets } from "./presets.ts"
import type { PrivateEndpoints, PrivateProviders } from "./privateEndpoints.ts"
import type { Processes, SealedSecrets } from "./secrets.ts"
import type { Generations, KeyUsageReader, UsageHistory, UsageLog } from "./usage.ts"
import type { OrganizationSettings, WorkspaceBudgets, WorkspaceMembers, Workspaces } from "./workspaces.ts"

/**
 * All ports of a store. A store implements every one of them.
 *
 * The ports of a store.
 */
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

/** Whether the store answers; dies with `StoreUnavailable` when it does not. Rule: operating#probes. */
export class StoreHealth extends Context.Service<StoreHealth, { readonly ping: Effect.Effect<void> }>()(
  "gatewarden/StoreHealth"
) {}
