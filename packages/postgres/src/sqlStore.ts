/** Every port over one `SqlClient`, whichever engine is behind it. The schema must be there. */
import {
  Accounts,
  AlertChannels,
  Alerts,
  AnalyticsReader,
  ApiKeys,
  Assignments,
  BudgetLedger,
  ByokCredentials,
  ChangeLog,
  DeadLetters,
  DeliveryLog,
  DeliveryQueue,
  Destinations,
  Credits,
  FederationPolicies,
  DirectoryGroups,
  DirectoryUsers,
  GroupMappings,
  SyncJobs,
  EndpointStatisticsReader,
  AuditLog,
  AuthorizationCodes,
  BackgroundJobs,
  FileContents,
  Files,
  Generations,
  Guardrails,
  IdempotencyRecords,
  KeyRateCounts,
  KeyUsageReader,
  MailRecipients,
  ModelCatalog,
  OrganizationSettings,
  Erasures,
  PersonalRows,
  PolicySources,
  Presets,
  PrivateEndpoints,
  EntityNames,
  ExternalUsers,
  PrivateProviders,
  Processes,
  DatasetsReader,
  RankingsReader,
  RequestCounts,
  Retention,
  SealedSecrets,
  StoredAmounts,
  StoreHealth,
  type StorePorts,
  UsageHistory,
  UsageLog,
  WorkspaceBudgets,
  WorkspaceMembers,
  Workspaces
} from "@gatewarden/core/store"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { accounts } from "./ports/Accounts.ts"
import { alertChannels } from "./ports/AlertChannels.ts"
import { mailRecipients } from "./ports/MailRecipients.ts"
import { alerts } from "./ports/Alerts.ts"
import { analyticsReader } from "./ports/AnalyticsReader.ts"
import type { AnalyticsSql } from "./ports/sql/AnalyticsSql.ts"
import { apiKeys } from "./ports/ApiKeys.ts"
import { assignments } from "./ports/Assignments.ts"
import { authorizationCodes } from "./ports/AuthorizationCodes.ts"
import { budgetLedger } from "./ledger/BudgetLedger.ts"
import { byokCredentials } from "./ports/ByokCredentials.ts"
import { backgroundJobs } from "./stream/BackgroundJobs.ts"
import { auditLog } from "./stream/AuditLog.ts"
import { changeLog } from "./stream/ChangeLog.ts"
import { credits } from "./ports/Credits.ts"
import { federationPolicies } from "./ports/FederationPolicies.ts"
import { deadLetters } from "./ports/DeadLetters.ts"
import { deliveryLog } from "./ports/DeliveryLog.ts"
import { deliveryQueue } from "./ports/DeliveryQueue.ts"
import { destinations } from "./ports/Destinations.ts"
import { directoryGroups } from "./ports/DirectoryGroups.ts"
import { directoryUsers } from "./ports/DirectoryUsers.ts"
import { syncJobs } from "./ports/SyncJobs.ts"
import { groupMappings } from "./ports/GroupMappings.ts"
import { endpointStatisticsReader } from "./ports/EndpointStatisticsReader.ts"
import { fileContents } from "./ports/FileContents.ts"
import { files } from "./ports/Files.ts"
import { generations } from "./ports/Generations.ts"
import { guardrails } from "./ports/Guardrails.ts"
import { idempotencyRecords } from "./ports/IdempotencyRecords.ts"
import { keyRateCounts } from "./ledger/KeyRateCounts.ts"
import { keyUsageReader } from "./ports/KeyUsageReader.ts"
import { modelCatalog } from "./ports/ModelCatalog.ts"
import { organizationSettings } from "./ports/OrganizationSettings.ts"
import { erasures } from "./ports/Erasures.ts"
import { personalRows } from "./ports/PersonalRows.ts"
import { policySources } from "./ports/PolicySources.ts"
import { privateEndpoints } from "./ports/PrivateEndpoints.ts"
import { entityNames } from "./ports/EntityNames.ts"
import { externalUsers } from "./ports/ExternalUsers.ts"
import { privateProviders } from "./ports/PrivateProviders.ts"
import { presets } from "./ports/Presets.ts"
import { processes } from "./ports/Processes.ts"
import { datasetsReader } from "./ports/DatasetsReader.ts"
import { rankingsReader } from "./ports/RankingsReader.ts"
import { requestCounts } from "./ports/RequestCounts.ts"
import { retention } from "./stream/Retention.ts"
import { sealedSecrets } from "./ports/SealedSecrets.ts"
import { storedAmounts } from "./ports/StoredAmounts.ts"
import { storeHealth } from "./ports/StoreHealth.ts"
import { usageHistory } from "./ports/UsageHistory.ts"
import { usageLog } from "./ports/UsageLog.ts"
import { workspaceBudgets } from "./ports/WorkspaceBudgets.ts"
import { workspaceMembers } from "./ports/WorkspaceMembers.ts"
import { workspaces } from "./ports/Workspaces.ts"

/** The one port that a load is checked with before it is committed. */
export const layerSealedSecrets: Layer.Layer<SealedSecrets, never, SqlClient.SqlClient> = Layer.effect(
  SealedSecrets,
  sealedSecrets
)

/** The one port that tells how background work is doing, without the rest of a store. */
export const layerBackgroundJobs: Layer.Layer<BackgroundJobs, never, SqlClient.SqlClient> = Layer.effect(
  BackgroundJobs,
  backgroundJobs
)

/** The one port that tells how deliveries are doing. */
export const layerDeliveryQueue: Layer.Layer<DeliveryQueue, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryQueue,
  deliveryQueue
)

export const layerPorts: Layer.Layer<StorePorts, never, SqlClient.SqlClient | AnalyticsSql> = Layer.mergeAll(
  Layer.effect(Accounts, accounts),
  Layer.effect(AlertChannels, alertChannels),
  Layer.effect(MailRecipients, mailRecipients),
  Layer.effect(Alerts, alerts),
  Layer.effect(ApiKeys, apiKeys),
  Layer.effect(Assignments, assignments),
  Layer.effect(AuthorizationCodes, authorizationCodes),
  layerBackgroundJobs,
  Layer.effect(KeyRateCounts, keyRateCounts),
  Layer.effect(KeyUsageReader, keyUsageReader),
  Layer.effect(Workspaces, workspaces),
  Layer.effect(WorkspaceBudgets, workspaceBudgets),
  Layer.effect(WorkspaceMembers, workspaceMembers),
  Layer.effect(Guardrails, guardrails),
  Layer.effect(BudgetLedger, budgetLedger),
  Layer.effect(ByokCredentials, byokCredentials),
  Layer.effect(AuditLog, auditLog),
  Layer.effect(ChangeLog, changeLog),
  Layer.effect(DeadLetters, deadLetters),
  Layer.effect(DeliveryLog, deliveryLog),
  layerDeliveryQueue,
  Layer.effect(Destinations, destinations),
  Layer.effect(Credits, credits),
  Layer.effect(FederationPolicies, federationPolicies),
  Layer.effect(DirectoryUsers, directoryUsers),
  Layer.effect(DirectoryGroups, directoryGroups),
  Layer.effect(GroupMappings, groupMappings),
  Layer.effect(SyncJobs, syncJobs),
  Layer.effect(Files, files),
  Layer.effect(FileContents, fileContents),
  Layer.effect(Erasures, erasures),
  Layer.effect(PersonalRows, personalRows),
  Layer.effect(PolicySources, policySources),
  Layer.effect(Presets, presets),
  Layer.effect(PrivateEndpoints, privateEndpoints),
  Layer.effect(PrivateProviders, privateProviders),
  Layer.effect(EntityNames, entityNames),
  Layer.effect(ExternalUsers, externalUsers),
  Layer.effect(Processes, processes),
  Layer.effect(ModelCatalog, modelCatalog),
  Layer.effect(OrganizationSettings, organizationSettings),
  Layer.effect(EndpointStatisticsReader, endpointStatisticsReader),
  Layer.effect(DatasetsReader, datasetsReader),
  Layer.effect(RankingsReader, rankingsReader),
  Layer.effect(RequestCounts, requestCounts),
  Layer.effect(Retention, retention),
  Layer.effect(IdempotencyRecords, idempotencyRecords),
  layerSealedSecrets,
  Layer.effect(AnalyticsReader, analyticsReader),
  Layer.effect(Generations, generations),
  Layer.effect(UsageHistory, usageHistory),
  Layer.effect(UsageLog, usageLog),
  Layer.effect(StoredAmounts, storedAmounts),
  Layer.effect(StoreHealth, storeHealth)
)
