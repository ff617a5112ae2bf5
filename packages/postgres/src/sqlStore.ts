/** Every port over one `SqlClient`, whichever engine is behind it. The schema must be there. */
import {
  Accounts,
  AnalyticsReader,
  ApiKeys,
  Assignments,
  BudgetLedger,
  ByokCredentials,
  ChangeLog,
  Destinations,
  EndpointStatisticsReader,
  AuthorizationCodes,
  FileContents,
  Files,
  Guardrails,
  IdempotencyRecords,
  KeyRates,
  KeyUsageReader,
  ModelCatalog,
  PolicySources,
  Presets,
  RankingsReader,
  RateLimits,
  SealedSecrets,
  StoredAmounts,
  StoreHealth,
  type StorePorts,
  UsageHistory,
  UsageLog,
  WorkspaceBudgets,
  WorkspaceMembers,
  Workspaces
} from "@gatewarden/core/effect"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { accounts } from "./Accounts.ts"
import { analyticsReader } from "./AnalyticsReader.ts"
import type { AnalyticsSql } from "./AnalyticsSql.ts"
import { apiKeys } from "./ApiKeys.ts"
import { assignments } from "./Assignments.ts"
import { authorizationCodes } from "./AuthorizationCodes.ts"
import { budgetLedger } from "./BudgetLedger.ts"
import { byokCredentials } from "./ByokCredentials.ts"
import { changeLog } from "./ChangeLog.ts"
import { destinations } from "./Destinations.ts"
import { endpointStatisticsReader } from "./EndpointStatisticsReader.ts"
import { fileContents } from "./FileContents.ts"
import { files } from "./Files.ts"
import { guardrails } from "./Guardrails.ts"
import { idempotencyRecords } from "./IdempotencyRecords.ts"
import { keyRates } from "./KeyRates.ts"
import { keyUsageReader } from "./KeyUsageReader.ts"
import { modelCatalog } from "./ModelCatalog.ts"
import { policySources } from "./PolicySources.ts"
import { presets } from "./Presets.ts"
import { rankingsReader } from "./RankingsReader.ts"
import { rateLimits } from "./RateLimits.ts"
import { sealedSecrets } from "./SealedSecrets.ts"
import { storedAmounts } from "./StoredAmounts.ts"
import { storeHealth } from "./StoreHealth.ts"
import { usageHistory } from "./UsageHistory.ts"
import { usageLog } from "./UsageLog.ts"
import { workspaceBudgets } from "./WorkspaceBudgets.ts"
import { workspaceMembers } from "./WorkspaceMembers.ts"
import { workspaces } from "./Workspaces.ts"

/** The one port that a load is checked with before it is committed. */
export const layerSealedSecrets: Layer.Layer<SealedSecrets, never, SqlClient.SqlClient> = Layer.effect(
  SealedSecrets,
  sealedSecrets
)

export const layerPorts: Layer.Layer<StorePorts, never, SqlClient.SqlClient | AnalyticsSql> = Layer.mergeAll(
  Layer.effect(Accounts, accounts),
  Layer.effect(ApiKeys, apiKeys),
  Layer.effect(Assignments, assignments),
  Layer.effect(AuthorizationCodes, authorizationCodes),
  Layer.effect(KeyRates, keyRates),
  Layer.effect(KeyUsageReader, keyUsageReader),
  Layer.effect(Workspaces, workspaces),
  Layer.effect(WorkspaceBudgets, workspaceBudgets),
  Layer.effect(WorkspaceMembers, workspaceMembers),
  Layer.effect(Guardrails, guardrails),
  Layer.effect(BudgetLedger, budgetLedger),
  Layer.effect(ByokCredentials, byokCredentials),
  Layer.effect(ChangeLog, changeLog),
  Layer.effect(Destinations, destinations),
  Layer.effect(Files, files),
  Layer.effect(FileContents, fileContents),
  Layer.effect(PolicySources, policySources),
  Layer.effect(Presets, presets),
  Layer.effect(ModelCatalog, modelCatalog),
  Layer.effect(EndpointStatisticsReader, endpointStatisticsReader),
  Layer.effect(RankingsReader, rankingsReader),
  Layer.effect(RateLimits, rateLimits),
  Layer.effect(IdempotencyRecords, idempotencyRecords),
  layerSealedSecrets,
  Layer.effect(AnalyticsReader, analyticsReader),
  Layer.effect(UsageHistory, usageHistory),
  Layer.effect(UsageLog, usageLog),
  Layer.effect(StoredAmounts, storedAmounts),
  Layer.effect(StoreHealth, storeHealth)
)
