/** The in-memory store: every port over one set of tables. It forgets everything when its process ends. */
import { Context, Effect, Layer } from "effect"
import { Accounts } from "../access/Accounts.ts"
import { ApiKeys } from "../key/ApiKeys.ts"
import { AnalyticsReader } from "../usage/analytics/AnalyticsReader.ts"
import { AuthorizationCodes } from "../authorization/AuthorizationCodes.ts"
import { ByokCredentials } from "../byok/ByokCredentials.ts"
import { BackgroundJobs } from "../stream/BackgroundJobs.ts"
import { Retention } from "../stream/Retention.ts"
import { ChangeLog } from "../stream/ChangeLog.ts"
import { BudgetLedger } from "../ledger/BudgetLedger.ts"
import { KeyRateCounts } from "../ledger/KeyRateCounts.ts"
import { PolicySources } from "../access/PolicySources.ts"
import { FileContents } from "../file/FileContents.ts"
import { Files } from "../file/Files.ts"
import { Assignments } from "../guardrail/Assignments.ts"
import { Guardrails } from "../guardrail/Guardrails.ts"
import { IdempotencyRecords } from "../idempotency/IdempotencyRecords.ts"
import { RequestCounts } from "../limits/RequestCounts.ts"
import { StoredAmounts } from "../limits/StoredAmounts.ts"
import { EndpointStatisticsReader } from "../usage/statistics/EndpointStatisticsReader.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { Destinations } from "../observability/Destinations.ts"
import { StoreHealth } from "../platform/StoreHealth.ts"
import { Presets } from "../preset/Presets.ts"
import { RankingsReader } from "../usage/rankings/RankingsReader.ts"
import type { StorePorts } from "../ports.ts"
import { KeyUsageReader } from "../usage/KeyUsageReader.ts"
import { Generations } from "../usage/generation/Generations.ts"
import { UsageHistory } from "../usage/UsageHistory.ts"
import { UsageLog } from "../usage/UsageLog.ts"
import { SealedSecrets } from "../vault/SealedSecrets.ts"
import { WorkspaceBudgets } from "../workspace/WorkspaceBudgets.ts"
import { WorkspaceMembers } from "../workspace/WorkspaceMembers.ts"
import { Workspaces } from "../workspace/Workspaces.ts"
import { AuditLog } from "../stream/AuditLog.ts"
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
import { destinations } from "./Destinations.ts"
import { endpointStatisticsReader } from "./EndpointStatisticsReader.ts"
import { fileContents } from "./FileContents.ts"
import { files } from "./Files.ts"
import { guardrails } from "./Guardrails.ts"
import { idempotencyRecords } from "./IdempotencyRecords.ts"
import { modelCatalog } from "./ModelCatalog.ts"
import { policySources } from "./PolicySources.ts"
import { presets } from "./Presets.ts"
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
        Context.add(FileContents, fileContents(tables)),
        Context.add(PolicySources, policySources(tables)),
        Context.add(Presets, presets(tables)),
        Context.add(ModelCatalog, modelCatalog(tables)),
        Context.add(EndpointStatisticsReader, endpointStatisticsReader(tables)),
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
  })
)
