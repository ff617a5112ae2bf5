/** Every operation's command. A test fails while one has none. */
import type { Command } from "./Command.ts"
import { cancelAdmission } from "./commands/cancelAdmission.ts"
import { createAdmission } from "./commands/createAdmission.ts"
import { createExplanation } from "./commands/createExplanation.ts"
import { renewAdmission } from "./commands/renewAdmission.ts"
import { settleAdmission } from "./commands/settleAdmission.ts"
import { createAuthorizationCode } from "./commands/createAuthorizationCode.ts"
import { createByokCredential } from "./commands/createByokCredential.ts"
import { createDestination } from "./commands/createDestination.ts"
import { createGuardrail } from "./commands/createGuardrail.ts"
import { createKey } from "./commands/createKey.ts"
import { createPreset } from "./commands/createPreset.ts"
import { createWorkspace } from "./commands/createWorkspace.ts"
import { deleteFile } from "./commands/deleteFile.ts"
import { deleteWorkspace } from "./commands/deleteWorkspace.ts"
import { exchangeAuthorizationCode } from "./commands/exchangeAuthorizationCode.ts"
import { getAnalyticsMeta } from "./commands/getAnalyticsMeta.ts"
import { getCurrentKey } from "./commands/getCurrentKey.ts"
import { getFile } from "./commands/getFile.ts"
import { getGuardrail } from "./commands/getGuardrail.ts"
import { getOpenApi } from "./commands/getOpenApi.ts"
import { getPreset } from "./commands/getPreset.ts"
import { getRankingsDaily } from "./commands/getRankingsDaily.ts"
import { getWorkspace } from "./commands/getWorkspace.ts"
import { listBudgetWarnings } from "./commands/listBudgetWarnings.ts"
import { listByokCredentials } from "./commands/listByokCredentials.ts"
import { listDestinations } from "./commands/listDestinations.ts"
import { listEndpoints } from "./commands/listEndpoints.ts"
import { listModels } from "./commands/listModels.ts"
import { putCatalog } from "./commands/putCatalog.ts"
import { queryAnalytics } from "./commands/queryAnalytics.ts"
import { recordUsageEvents } from "./commands/recordUsageEvents.ts"
import { updateByokCredential } from "./commands/updateByokCredential.ts"
import { updateGuardrail } from "./commands/updateGuardrail.ts"
import { uploadFile } from "./commands/uploadFile.ts"
import { listGuardrails } from "./commands/listGuardrails.ts"
import { deleteGuardrail } from "./commands/deleteGuardrail.ts"
import { assignKeys } from "./commands/assignKeys.ts"
import { unassignKeys } from "./commands/unassignKeys.ts"
import { assignMembers } from "./commands/assignMembers.ts"
import { unassignMembers } from "./commands/unassignMembers.ts"
import { listGuardrailKeyAssignments } from "./commands/listGuardrailKeyAssignments.ts"
import { listGuardrailMemberAssignments } from "./commands/listGuardrailMemberAssignments.ts"
import { listKeyAssignments } from "./commands/listKeyAssignments.ts"
import { listMemberAssignments } from "./commands/listMemberAssignments.ts"
import { listKeys } from "./commands/listKeys.ts"
import { getKey } from "./commands/getKey.ts"
import { updateKey } from "./commands/updateKey.ts"
import { deleteKey } from "./commands/deleteKey.ts"
import { listWorkspaceBudgets } from "./commands/listWorkspaceBudgets.ts"
import { getWorkspaceBudget } from "./commands/getWorkspaceBudget.ts"
import { putWorkspaceBudget } from "./commands/putWorkspaceBudget.ts"
import { deleteWorkspaceBudget } from "./commands/deleteWorkspaceBudget.ts"
import { listWorkspaceMembers } from "./commands/listWorkspaceMembers.ts"
import { addWorkspaceMembers } from "./commands/addWorkspaceMembers.ts"
import { removeWorkspaceMembers } from "./commands/removeWorkspaceMembers.ts"
import { getKeyRateLimits } from "./commands/getKeyRateLimits.ts"
import { putKeyRateLimits } from "./commands/putKeyRateLimits.ts"

export const commands: readonly Command[] = [
  cancelAdmission,
  createAdmission,
  createExplanation,
  renewAdmission,
  settleAdmission,
  createAuthorizationCode,
  createByokCredential,
  createDestination,
  createGuardrail,
  createKey,
  createPreset,
  createWorkspace,
  deleteFile,
  deleteWorkspace,
  exchangeAuthorizationCode,
  getAnalyticsMeta,
  getCurrentKey,
  getFile,
  getGuardrail,
  getOpenApi,
  getPreset,
  getRankingsDaily,
  getWorkspace,
  listBudgetWarnings,
  listByokCredentials,
  listDestinations,
  listModels,
  listEndpoints,
  putCatalog,
  queryAnalytics,
  recordUsageEvents,
  updateByokCredential,
  updateGuardrail,
  uploadFile,
  listGuardrails,
  deleteGuardrail,
  assignKeys,
  unassignKeys,
  assignMembers,
  unassignMembers,
  listGuardrailKeyAssignments,
  listGuardrailMemberAssignments,
  listKeyAssignments,
  listMemberAssignments,
  listKeys,
  getKey,
  updateKey,
  deleteKey,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  putWorkspaceBudget,
  deleteWorkspaceBudget,
  listWorkspaceMembers,
  addWorkspaceMembers,
  removeWorkspaceMembers,
  getKeyRateLimits,
  putKeyRateLimits
]
