/** Every operation's command. A test fails while one has none. */
import type { Command } from "./Command.ts"
import { cancelAdmission } from "../admission/cancelAdmission.command.ts"
import { createAdmission } from "../admission/createAdmission.command.ts"
import { createExplanation } from "../admission/createExplanation.command.ts"
import { renewAdmission } from "../admission/renewAdmission.command.ts"
import { settleAdmission } from "../admission/settleAdmission.command.ts"
import { createAuthorizationCode } from "../authorization/createAuthorizationCode.command.ts"
import { createByokCredential } from "../byok/createByokCredential.command.ts"
import {
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
  listAlerts,
  testAlertChannel,
  updateAlertChannel
} from "../alert/alertChannels.command.ts"
import { createDestination } from "../destination/createDestination.command.ts"
import { deleteDestination } from "../destination/deleteDestination.command.ts"
import { testDestination } from "../delivery/testDestination.command.ts"
import { listDeliveries } from "../delivery/listDeliveries.command.ts"
import { listDeadLetters } from "../delivery/listDeadLetters.command.ts"
import { replayDeadLetters } from "../delivery/replayDeadLetters.command.ts"
import { getDestination } from "../destination/getDestination.command.ts"
import { updateDestination } from "../destination/updateDestination.command.ts"
import { getAuthorizationServer, listSigningKeys } from "../federation/authorizationServer.command.ts"
import { exchangeToken } from "../federation/exchangeToken.command.ts"
import {
  createFederationPolicy,
  deleteFederationPolicy,
  getFederationPolicy,
  listFederationPolicies,
  updateFederationPolicy
} from "../federation/federationPolicies.command.ts"
import { createGuardrail } from "../guardrail/createGuardrail.command.ts"
import { createKey } from "../key/createKey.command.ts"
import { createPresetFromMessages } from "../preset/createPresetFromMessages.command.ts"
import { createPresetFromResponses } from "../preset/createPresetFromResponses.command.ts"
import { comparePresetVersions } from "../preset/comparePresetVersions.command.ts"
import { putDesignatedVersion } from "../preset/putDesignatedVersion.command.ts"
import { restorePresetVersion } from "../preset/restorePresetVersion.command.ts"
import { createPreset } from "../preset/createPreset.command.ts"
import { createWorkspace } from "../workspace/createWorkspace.command.ts"
import { deleteFile } from "../file/deleteFile.command.ts"
import { deleteWorkspace } from "../workspace/deleteWorkspace.command.ts"
import { exchangeAuthorizationCode } from "../authorization/exchangeAuthorizationCode.command.ts"
import { getAnalyticsMeta } from "../usage/getAnalyticsMeta.command.ts"
import { getCurrentKey } from "../key/getCurrentKey.command.ts"
import { getFile } from "../file/getFile.command.ts"
import { getFileContent } from "../file/getFileContent.command.ts"
import { listFiles } from "../file/listFiles.command.ts"
import { getGuardrail } from "../guardrail/getGuardrail.command.ts"
import { getOpenApi } from "../service/getOpenApi.command.ts"
import { getPreset } from "../preset/getPreset.command.ts"
import { getPresetVersion } from "../preset/getPresetVersion.command.ts"
import { listPresets } from "../preset/listPresets.command.ts"
import { listPresetVersions } from "../preset/listPresetVersions.command.ts"
import { getAppRankings, getSessionCost, getTaskClassifications } from "../usage/datasets.command.ts"
import { getRankingsDaily } from "../usage/getRankingsDaily.command.ts"
import { listWorkspaces } from "../workspace/listWorkspaces.command.ts"
import { updateWorkspace } from "../workspace/updateWorkspace.command.ts"
import { getInvoice } from "../usage/getInvoice.command.ts"
import { erasureCommands } from "../erasure/erasures.command.ts"
import { exportPersonalData } from "../erasure/exportPersonalData.command.ts"
import { exportUsageEvents } from "../usage/exportUsageEvents.command.ts"
import { getGeneration } from "../usage/getGeneration.command.ts"
import { getGenerationContent } from "../prompt/getGenerationContent.command.ts"
import { submitGenerationFeedback } from "../usage/submitGenerationFeedback.command.ts"
import { getUserActivity } from "../usage/getUserActivity.command.ts"
import { getWorkspace } from "../workspace/getWorkspace.command.ts"
import { getAuditLog } from "../audit/getAuditLog.command.ts"
import { listBudgetWarnings } from "../admission/listBudgetWarnings.command.ts"
import { deleteByokCredential } from "../byok/deleteByokCredential.command.ts"
import { getByokCredential } from "../byok/getByokCredential.command.ts"
import { listByokCredentials } from "../byok/listByokCredentials.command.ts"
import { listDestinations } from "../destination/listDestinations.command.ts"
import { listEndpoints } from "../model/listEndpoints.command.ts"
import {
  countModels,
  getModel,
  listEmbeddingModels,
  listImageModelEndpoints,
  listImageModels,
  listModels,
  listProviders,
  listUserModels,
  listVideoModels,
  listZdrEndpoints
} from "../model/modelLists.command.ts"
import { putCatalog } from "../model/putCatalog.command.ts"
import { queryAnalytics } from "../usage/queryAnalytics.command.ts"
import { recordUsageEvents } from "../usage/recordUsageEvents.command.ts"
import { updateByokCredential } from "../byok/updateByokCredential.command.ts"
import { updateGuardrail } from "../guardrail/updateGuardrail.command.ts"
import { uploadFile } from "../file/uploadFile.command.ts"
import { listGuardrails } from "../guardrail/listGuardrails.command.ts"
import { deleteGuardrail } from "../guardrail/deleteGuardrail.command.ts"
import { assignKeys } from "../guardrail/assignKeys.command.ts"
import { unassignKeys } from "../guardrail/unassignKeys.command.ts"
import { assignMembers } from "../guardrail/assignMembers.command.ts"
import { unassignMembers } from "../guardrail/unassignMembers.command.ts"
import { listGuardrailKeyAssignments } from "../guardrail/listGuardrailKeyAssignments.command.ts"
import { listGuardrailMemberAssignments } from "../guardrail/listGuardrailMemberAssignments.command.ts"
import { listKeyAssignments } from "../guardrail/listKeyAssignments.command.ts"
import { listMemberAssignments } from "../guardrail/listMemberAssignments.command.ts"
import { listKeys } from "../key/listKeys.command.ts"
import { getKey } from "../key/getKey.command.ts"
import { getCredits } from "../credit/getCredits.command.ts"
import { rotateKey } from "../key/rotateKey.command.ts"
import { updateKey } from "../key/updateKey.command.ts"
import { createManagementKey, deleteManagementKey, listManagementKeys } from "../key/managementKeys.command.ts"
import { deleteKey } from "../key/deleteKey.command.ts"
import { listWorkspaceBudgets } from "../workspace/listWorkspaceBudgets.command.ts"
import { getWorkspaceBudget } from "../workspace/getWorkspaceBudget.command.ts"
import { putWorkspaceBudget } from "../workspace/putWorkspaceBudget.command.ts"
import { deleteWorkspaceBudget } from "../workspace/deleteWorkspaceBudget.command.ts"
import { listWorkspaceMembers } from "../workspace/listWorkspaceMembers.command.ts"
import { listOrganizationMembers } from "../workspace/listOrganizationMembers.command.ts"
import { getOrganizationSettings, updateOrganizationSettings } from "../workspace/organizationSettings.command.ts"
import { externalUserCommands } from "../externalUser/externalUsers.command.ts"
import { privateEndpointCommands } from "../privateEndpoint/privateEndpoints.command.ts"
import { directoryCommands } from "../directory/directory.command.ts"
import { addWorkspaceMembers } from "../workspace/addWorkspaceMembers.command.ts"
import { removeWorkspaceMembers } from "../workspace/removeWorkspaceMembers.command.ts"
import { getKeyRateLimits } from "../key/getKeyRateLimits.command.ts"
import { putKeyRateLimits } from "../key/putKeyRateLimits.command.ts"

export const commands: readonly Command[] = [
  ...directoryCommands,
  ...externalUserCommands,
  ...privateEndpointCommands,
  ...erasureCommands,
  cancelAdmission,
  createAdmission,
  createExplanation,
  renewAdmission,
  settleAdmission,
  createAuthorizationCode,
  createByokCredential,
  createDestination,
  getDestination,
  updateDestination,
  deleteDestination,
  testDestination,
  listDeliveries,
  listDeadLetters,
  replayDeadLetters,
  createGuardrail,
  createKey,
  createPreset,
  comparePresetVersions,
  putDesignatedVersion,
  restorePresetVersion,
  createPresetFromMessages,
  createPresetFromResponses,
  createWorkspace,
  deleteFile,
  deleteWorkspace,
  exchangeAuthorizationCode,
  exchangeToken,
  getAuthorizationServer,
  listSigningKeys,
  createFederationPolicy,
  listFederationPolicies,
  getFederationPolicy,
  updateFederationPolicy,
  deleteFederationPolicy,
  getAnalyticsMeta,
  getCurrentKey,
  getFile,
  getFileContent,
  listFiles,
  getGuardrail,
  getOpenApi,
  getPreset,
  getPresetVersion,
  listPresets,
  listPresetVersions,
  getRankingsDaily,
  getAppRankings,
  getSessionCost,
  getTaskClassifications,
  getUserActivity,
  exportUsageEvents,
  exportPersonalData,
  getInvoice,
  getGeneration,
  getGenerationContent,
  submitGenerationFeedback,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
  listBudgetWarnings,
  createAlertChannel,
  listAlertChannels,
  getAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  listAlerts,
  getAuditLog,
  listByokCredentials,
  getByokCredential,
  deleteByokCredential,
  listDestinations,
  listModels,
  countModels,
  listUserModels,
  getModel,
  listEmbeddingModels,
  listImageModelEndpoints,
  listImageModels,
  listVideoModels,
  listProviders,
  listEndpoints,
  listZdrEndpoints,
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
  rotateKey,
  getCredits,
  deleteKey,
  createManagementKey,
  listManagementKeys,
  deleteManagementKey,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  putWorkspaceBudget,
  deleteWorkspaceBudget,
  listWorkspaceMembers,
  addWorkspaceMembers,
  listOrganizationMembers,
  getOrganizationSettings,
  updateOrganizationSettings,
  removeWorkspaceMembers,
  getKeyRateLimits,
  putKeyRateLimits
]
