/** The in-memory store: every port over one set of tables. It forgets everything when its process ends. */
import { Context, Effect, Layer } from "effect"
import { Accounts } from "../ports/accounts.ts"
import { AlertChannels, Alerts, MailRecipients } from "../ports/alerts.ts"
import { ApiKeys } from "../ports/keys.ts"
import { AnalyticsReader, DatasetsReader, EndpointStatisticsReader, RankingsReader } from "../ports/analytics.ts"
import { AuthorizationCodes } from "../ports/authorizationCodes.ts"
import { ByokCredentials } from "../ports/byok.ts"
import { AuditLog } from "../ports/auditLog.ts"
import { BackgroundJobs } from "../ports/backgroundJobs.ts"
import { ChangeLog } from "../ports/changeLog.ts"
import { Retention } from "../ports/retention.ts"
import { BudgetLedger, KeyRateCounts } from "../ports/ledger.ts"
import { PolicySources } from "../ports/policySources.ts"
import { Credits } from "../ports/credits.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"
import { FileContents, Files } from "../ports/files.ts"
import { Assignments, Guardrails } from "../ports/guardrails.ts"
import { IdempotencyRecords } from "../ports/idempotency.ts"
import { RequestCounts, StoredAmounts } from "../ports/limits.ts"
import { ModelCatalog } from "../ports/models.ts"
import { DeadLetters, DeliveryLog, DeliveryQueue } from "../ports/deliveries.ts"
import { Destinations } from "../ports/destinations.ts"
import { DirectoryGroups, DirectoryUsers, GroupMappings, SyncJobs } from "../ports/directory.ts"
import { StoreHealth, type StorePorts } from "../ports/StorePorts.ts"
import { PrivateEndpoints, PrivateProviders } from "../ports/privateEndpoints.ts"
import { ExternalUsers } from "../ports/externalUsers.ts"
import { EntityNames } from "../ports/names.ts"
import { Presets } from "../ports/presets.ts"
import { Erasures, PersonalRows } from "../ports/erasures.ts"
import { Generations, KeyUsageReader, UsageHistory, UsageLog } from "../ports/usage.ts"
import { Processes, SealedSecrets } from "../ports/secrets.ts"
import { OrganizationSettings, WorkspaceBudgets, WorkspaceMembers, Workspaces } from "../ports/workspaces.ts"
import { accounts } from "./Accounts.ts"
import { analyticsReader } from "./AnalyticsReader.ts"
import { apiKeys } from "./ApiKeys.ts"
import { assignments } from "./Assignments.ts"
import { auditLog } from "./AuditLog.ts"
import { authorizationCodes } from "./AuthorizationCodes.ts"
import { backgroundJobs } from "./BackgroundJobs.ts"
import { retention } from "./Retention.ts"
import { budgetLedger } from "./BudgetLedger.ts"
import { byokCredentials } from "./ByokCredentials.ts"
import { changeLog } from "./ChangeLog.ts"
import { deadLetters } from "./DeadLetters.ts"
import { deliveryLog } from "./DeliveryLog.ts"
import { deliveryQueue } from "./DeliveryQueue.ts"
import { destinations } from "./Destinations.ts"
import { directoryGroups } from "./DirectoryGroups.ts"
import { directoryUsers } from "./DirectoryUsers.ts"
import { syncJobs } from "./SyncJobs.ts"
import { groupMappings } from "./GroupMappings.ts"
import { endpointStatisticsReader } from "./EndpointStatisticsReader.ts"
import { alertChannels } from "./AlertChannels.ts"
import { alerts } from "./Alerts.ts"
import { mailRecipients } from "./MailRecipients.ts"
import { credits } from "./Credits.ts"
import { federationPolicies } from "./FederationPolicies.ts"
import { fileContents } from "./FileContents.ts"
import { files } from "./Files.ts"
import { guardrails } from "./Guardrails.ts"
import { idempotencyRecords } from "./IdempotencyRecords.ts"
import { modelCatalog } from "./ModelCatalog.ts"
import { erasures } from "./Erasures.ts"
import { personalRows } from "./PersonalRows.ts"
import { policySources } from "./PolicySources.ts"
import { processes } from "./Processes.ts"
import { privateEndpoints } from "./PrivateEndpoints.ts"
import { entityNames } from "./EntityNames.ts"
import { externalUsers } from "./ExternalUsers.ts"
import { privateProviders } from "./PrivateProviders.ts"
import { presets } from "./Presets.ts"
import { datasetsReader } from "./DatasetsReader.ts"
import { rankingsReader } from "./RankingsReader.ts"
import { requestCounts } from "./RequestCounts.ts"
import { keyRateCounts } from "./KeyRateCounts.ts"
import { keyUsageReader } from "./KeyUsageReader.ts"
import { sealedSecrets } from "./SealedSecrets.ts"
import { storeHealth } from "./StoreHealth.ts"
import { storedAmounts } from "./StoredAmounts.ts"
import { makeTables } from "./tables/Tables.ts"
import { generations } from "./Generations.ts"
import { usageHistory } from "./UsageHistory.ts"
import { usageLog } from "./UsageLog.ts"
import { organizationSettings } from "./OrganizationSettings.ts"
import { workspaceBudgets } from "./WorkspaceBudgets.ts"
import { workspaceMembers } from "./WorkspaceMembers.ts"
import { workspaces } from "./Workspaces.ts"

/** A fresh store each time it is built. */
export const layerMemory: Layer.Layer<StorePorts> = Layer.effectContext(
  Effect.sync(() => {
    const tables = makeTables()
    return Context.make(Accounts, accounts(tables))
      .pipe(
        Context.add(ApiKeys, apiKeys(tables)),
        Context.add(AuthorizationCodes, authorizationCodes(tables)),
        Context.add(Workspaces, workspaces(tables)),
        Context.add(Guardrails, guardrails(tables)),
        Context.add(BudgetLedger, budgetLedger(tables)),
        Context.add(ByokCredentials, byokCredentials(tables)),
        Context.add(Destinations, destinations(tables)),
        Context.add(Files, files(tables)),
        Context.add(Credits, credits(tables)),
        Context.add(FederationPolicies, federationPolicies(tables)),
        Context.add(FileContents, fileContents(tables)),
        Context.add(PolicySources, policySources(tables)),
        Context.add(Presets, presets(tables)),
        Context.add(ModelCatalog, modelCatalog(tables)),
        Context.add(EndpointStatisticsReader, endpointStatisticsReader(tables)),
        Context.add(DatasetsReader, datasetsReader(tables)),
        Context.add(RankingsReader, rankingsReader(tables)),
        Context.add(KeyUsageReader, keyUsageReader(tables))
      )
      .pipe(
        Context.add(BackgroundJobs, backgroundJobs()),
        Context.add(Retention, retention(tables)),
        Context.add(KeyRateCounts, keyRateCounts(tables)),
        Context.add(AuditLog, auditLog(tables)),
        Context.add(ChangeLog, changeLog(tables)),
        Context.add(RequestCounts, requestCounts(tables)),
        Context.add(IdempotencyRecords, idempotencyRecords(tables)),
        Context.add(SealedSecrets, sealedSecrets(tables)),
        Context.add(AnalyticsReader, analyticsReader(tables)),
        Context.add(Generations, generations(tables)),
        Context.add(UsageHistory, usageHistory(tables)),
        Context.add(UsageLog, usageLog(tables)),
        Context.add(Assignments, assignments(tables)),
        Context.add(WorkspaceBudgets, workspaceBudgets(tables)),
        Context.add(WorkspaceMembers, workspaceMembers(tables)),
        Context.add(StoredAmounts, storedAmounts(tables)),
        Context.add(StoreHealth, storeHealth)
      )
      .pipe(
        Context.add(DeadLetters, deadLetters(tables)),
        Context.add(DeliveryLog, deliveryLog(tables)),
        Context.add(DeliveryQueue, deliveryQueue(tables)),
        Context.add(DirectoryUsers, directoryUsers(tables)),
        Context.add(DirectoryGroups, directoryGroups(tables)),
        Context.add(GroupMappings, groupMappings(tables)),
        Context.add(SyncJobs, syncJobs(tables)),
        Context.add(AlertChannels, alertChannels(tables)),
        Context.add(MailRecipients, mailRecipients(tables)),
        Context.add(Alerts, alerts(tables)),
        Context.add(Erasures, erasures(tables)),
        Context.add(PersonalRows, personalRows(tables)),
        Context.add(Processes, processes()),
        Context.add(PrivateEndpoints, privateEndpoints(tables)),
        Context.add(PrivateProviders, privateProviders(tables)),
        Context.add(EntityNames, entityNames(tables)),
        Context.add(ExternalUsers, externalUsers(tables)),
        Context.add(OrganizationSettings, organizationSettings(tables))
      )
  })
)
