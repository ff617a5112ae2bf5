/** Every port over one `SqlClient`, whichever engine is behind it. The schema must be there. */
import {
  Accounts,
  AlertChannels,
  Alerts,
  AnalyticsReader,
  ApiKeys,
  Assignments,
  AuditLog,
  AuthorizationCodes,
  BackgroundJobs,
  BudgetLedger,
  ByokCredentials,
  ChangeLog,
  Credits,
  DatasetsReader,
  DeadLetters,
  DeliveryLog,
  DeliveryQueue,
  Destinations,
  DirectoryGroups,
  DirectoryUsers,
  EndpointStatisticsReader,
  EntityNames,
  Erasures,
  ExternalUsers,
  FederationPolicies,
  FileContents,
  Files,
  Generations,
  GroupMappings,
  Guardrails,
  IdempotencyRecords,
  KeyRateCounts,
  KeyUsageReader,
  MailRecipients,
  ModelCatalog,
  OrganizationSettings,
  PersonalRows,
  PolicySources,
  Presets,
  PrivateEndpoints,
  PrivateProviders,
  Processes,
  RankingsReader,
  RequestCounts,
  Retention,
  SealedSecrets,
  StoreHealth,
  type StorePorts,
  StoredAmounts,
  SyncJobs,
  UsageHistory,
  UsageLog,
  WorkspaceBudgets,
  WorkspaceMembers,
  Workspaces
} from "@gatewarden/core/store"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { accounts } from "../adapters/Accounts.ts"
import { alertChannels } from "../adapters/AlertChannels.ts"
import { alerts } from "../adapters/Alerts.ts"
import { analyticsReader } from "../adapters/AnalyticsReader.ts"
import { apiKeys } from "../adapters/ApiKeys.ts"
import { assignments } from "../adapters/Assignments.ts"
import { auditLog } from "../adapters/AuditLog.ts"
import { authorizationCodes } from "../adapters/AuthorizationCodes.ts"
import { backgroundJobs } from "../adapters/BackgroundJobs.ts"
import { budgetLedger } from "../adapters/BudgetLedger.ts"
import { byokCredentials } from "../adapters/ByokCredentials.ts"
import { changeLog } from "../adapters/ChangeLog.ts"
import { credits } from "../adapters/Credits.ts"
import { datasetsReader } from "../adapters/DatasetsReader.ts"
import { deadLetters } from "../adapters/DeadLetters.ts"
import { deliveryLog } from "../adapters/DeliveryLog.ts"
import { deliveryQueue } from "../adapters/DeliveryQueue.ts"
import { destinations } from "../adapters/Destinations.ts"
import { directoryGroups } from "../adapters/DirectoryGroups.ts"
import { directoryUsers } from "../adapters/DirectoryUsers.ts"
import { endpointStatisticsReader } from "../adapters/EndpointStatisticsReader.ts"
import { entityNames } from "../adapters/EntityNames.ts"
import { erasures } from "../adapters/Erasures.ts"
import { externalUsers } from "../adapters/ExternalUsers.ts"
import { federationPolicies } from "../adapters/FederationPolicies.ts"
import { fileContents } from "../adapters/FileContents.ts"
import { files } from "../adapters/Files.ts"
import { generations } from "../adapters/Generations.ts"
import { groupMappings } from "../adapters/GroupMappings.ts"
import { guardrails } from "../adapters/Guardrails.ts"
import { idempotencyRecords } from "../adapters/IdempotencyRecords.ts"
import { keyRateCounts } from "../adapters/KeyRateCounts.ts"
import { keyUsageReader } from "../adapters/KeyUsageReader.ts"
import { mailRecipients } from "../adapters/MailRecipients.ts"
import { modelCatalog } from "../adapters/ModelCatalog.ts"
import { organizationSettings } from "../adapters/OrganizationSettings.ts"
import { personalRows } from "../adapters/PersonalRows.ts"
import { policySources } from "../adapters/PolicySources.ts"
import { presets } from "../adapters/Presets.ts"
import { privateEndpoints } from "../adapters/PrivateEndpoints.ts"
import { privateProviders } from "../adapters/PrivateProviders.ts"
import { processes } from "../adapters/Processes.ts"
import { rankingsReader } from "../adapters/RankingsReader.ts"
import { requestCounts } from "../adapters/RequestCounts.ts"
import { retention } from "../adapters/Retention.ts"
import { sealedSecrets } from "../adapters/SealedSecrets.ts"
import { storeHealth } from "../adapters/StoreHealth.ts"
import { storedAmounts } from "../adapters/StoredAmounts.ts"
import { syncJobs } from "../adapters/SyncJobs.ts"
import { usageHistory } from "../adapters/UsageHistory.ts"
import { usageLog } from "../adapters/UsageLog.ts"
import { workspaceBudgets } from "../adapters/WorkspaceBudgets.ts"
import { workspaceMembers } from "../adapters/WorkspaceMembers.ts"
import { workspaces } from "../adapters/Workspaces.ts"
import type { AnalyticsSql } from "../statements/AnalyticsSql.ts"

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
