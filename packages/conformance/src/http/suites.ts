/** Every operation's cases, in the order of the table. A test fails while an operation has none, or a declared status no case. */
import type { CasesOf } from "./Case.ts"
import { keyRateLimitSuites } from "./keyRateLimitSuites.ts"
import { workspaceBudgetSuites } from "./workspaceBudgetSuites.ts"
import { workspaceMemberSuites } from "./workspaceMemberSuites.ts"
import { listKeys } from "./listKeys.ts"
import { getKey } from "./getKey.ts"
import { updateKey } from "./updateKey.ts"
import { deleteKey } from "./deleteKey.ts"
import { assignmentSuites } from "./assignmentSuites.ts"
import { createAuthorizationCode } from "./createAuthorizationCode.ts"
import { createByokCredential } from "./createByokCredential.ts"
import { createDestination } from "./createDestination.ts"
import { createGuardrail } from "./createGuardrail.ts"
import { deleteGuardrail } from "./deleteGuardrail.ts"
import { deleteFile } from "./deleteFile.ts"
import { getFile } from "./getFile.ts"
import { uploadFile } from "./uploadFile.ts"
import { createAdmission } from "./createAdmission.ts"
import { renewAdmission } from "./renewAdmission.ts"
import { settleAdmission } from "./settleAdmission.ts"
import { cancelAdmission } from "./cancelAdmission.ts"
import { createExplanation } from "./createExplanation.ts"
import { listBudgetWarnings } from "./listBudgetWarnings.ts"
import { createPreset } from "./createPreset.ts"
import { getPreset } from "./getPreset.ts"
import { getWorkspace } from "./getWorkspace.ts"
import { createKey } from "./createKey.ts"
import { createWorkspace } from "./createWorkspace.ts"
import { deleteWorkspace } from "./deleteWorkspace.ts"
import { exchangeAuthorizationCode } from "./exchangeAuthorizationCode.ts"
import { getCurrentKey } from "./getCurrentKey.ts"
import { getGuardrail } from "./getGuardrail.ts"
import { getOpenApi } from "./getOpenApi.ts"
import { listByokCredentials } from "./listByokCredentials.ts"
import { listGuardrails } from "./listGuardrails.ts"
import { listDestinations } from "./listDestinations.ts"
import { updateByokCredential } from "./updateByokCredential.ts"
import { recordUsageEvents } from "./recordUsageEvents.ts"
import { getRankingsDaily } from "./getRankingsDaily.ts"
import { listEndpoints } from "./listEndpoints.ts"
import { listModels } from "./listModels.ts"
import { putCatalog } from "./putCatalog.ts"
import { queryAnalytics } from "./queryAnalytics.ts"
import { getAnalyticsMeta } from "./getAnalyticsMeta.ts"
import { updateGuardrail } from "./updateGuardrail.ts"

export const suites: readonly CasesOf[] = [
  listDestinations,
  createDestination,
  createAuthorizationCode,
  exchangeAuthorizationCode,
  createGuardrail,
  createByokCredential,
  updateByokCredential,
  listByokCredentials,
  deleteFile,
  uploadFile,
  getFile,
  createPreset,
  getPreset,
  getRankingsDaily,
  listModels,
  listEndpoints,
  getWorkspace,
  createWorkspace,
  deleteWorkspace,
  createKey,
  getCurrentKey,
  getGuardrail,
  recordUsageEvents,
  putCatalog,
  createAdmission,
  renewAdmission,
  settleAdmission,
  cancelAdmission,
  createExplanation,
  listBudgetWarnings,
  queryAnalytics,
  getAnalyticsMeta,
  getOpenApi,
  updateGuardrail,
  listGuardrails,
  deleteGuardrail,
  listKeys,
  getKey,
  updateKey,
  deleteKey,
  ...keyRateLimitSuites,
  ...workspaceBudgetSuites,
  ...workspaceMemberSuites,
  ...assignmentSuites
]
