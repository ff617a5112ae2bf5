/** Every operation's cases, in the order of the table. A test fails while an operation has none, or a declared status no case. */
import type { CasesOf } from "./Case.ts"
import { withUnknownParameter } from "./unknownParameters.ts"
import { keyRateLimitCases } from "../key/keyRateLimits.cases.ts"
import { workspaceBudgetCases } from "../workspace/workspaceBudgets.cases.ts"
import { listOrganizationMembers } from "../workspace/listOrganizationMembers.cases.ts"
import { organizationSettingsCases } from "../workspace/organizationSettings.cases.ts"
import { externalUserCases } from "../externalUser/externalUsers.cases.ts"
import { privateEndpointCases } from "../privateEndpoint/privateEndpoints.cases.ts"
import { privateEndpointLifeCases } from "../privateEndpoint/privateEndpointLife.cases.ts"
import { privateProviderCases } from "../privateEndpoint/privateProviders.cases.ts"
import { directoryGroupCases } from "../directory/directoryGroups.cases.ts"
import { directoryUserCases } from "../directory/directoryUsers.cases.ts"
import { groupMappingCases } from "../directory/groupMappings.cases.ts"
import { syncJobCases } from "../directory/syncJobs.cases.ts"
import { scimDiscoveryCases } from "../directory/discovery.cases.ts"
import { workspaceMemberCases } from "../workspace/workspaceMembers.cases.ts"
import { listKeys } from "../key/listKeys.cases.ts"
import { getKey } from "../key/getKey.cases.ts"
import { getCredits } from "../credit/getCredits.cases.ts"
import { rotateKey } from "../key/rotateKey.cases.ts"
import { updateKey } from "../key/updateKey.cases.ts"
import { managementKeyCases } from "../key/managementKeys.cases.ts"
import { deleteKey } from "../key/deleteKey.cases.ts"
import { assignmentCases } from "../guardrail/assignments.cases.ts"
import { createAuthorizationCode } from "../authorization/createAuthorizationCode.cases.ts"
import { createByokCredential } from "../byok/createByokCredential.cases.ts"
import { createDestination } from "../destination/createDestination.cases.ts"
import { deleteDestination } from "../destination/deleteDestination.cases.ts"
import { testDestination } from "../delivery/testDestination.cases.ts"
import { listDeliveries } from "../delivery/listDeliveries.cases.ts"
import { listDeadLetters } from "../delivery/listDeadLetters.cases.ts"
import { replayDeadLetters } from "../delivery/replayDeadLetters.cases.ts"
import { getDestination } from "../destination/getDestination.cases.ts"
import { updateDestination } from "../destination/updateDestination.cases.ts"
import { getAuthorizationServer, listSigningKeys } from "../federation/authorizationServer.cases.ts"
import { exchangeToken } from "../federation/exchangeToken.cases.ts"
import { federationPolicyCases } from "../federation/federationPolicies.cases.ts"
import { createGuardrail } from "../guardrail/createGuardrail.cases.ts"
import { deleteGuardrail } from "../guardrail/deleteGuardrail.cases.ts"
import { deleteFile } from "../file/deleteFile.cases.ts"
import { getFile } from "../file/getFile.cases.ts"
import { getFileContent } from "../file/getFileContent.cases.ts"
import { listFiles } from "../file/listFiles.cases.ts"
import { uploadFile } from "../file/uploadFile.cases.ts"
import { createAdmission } from "../admission/createAdmission.cases.ts"
import { renewAdmission } from "../admission/renewAdmission.cases.ts"
import { settleAdmission } from "../admission/settleAdmission.cases.ts"
import { cancelAdmission } from "../admission/cancelAdmission.cases.ts"
import { createExplanation } from "../admission/createExplanation.cases.ts"
import { getAuditLog } from "../audit/getAuditLog.cases.ts"
import { alertChannelCases } from "../alert/alertChannels.cases.ts"
import { listAlerts } from "../alert/listAlerts.cases.ts"
import { listBudgetWarnings } from "../admission/listBudgetWarnings.cases.ts"
import { createPreset } from "../preset/createPreset.cases.ts"
import { presetFormCases } from "../preset/presetForms.cases.ts"
import { choosingVersionCases } from "../preset/choosingVersions.cases.ts"
import { getPreset } from "../preset/getPreset.cases.ts"
import { listPresets } from "../preset/listPresets.cases.ts"
import { presetVersionCases } from "../preset/presetVersions.cases.ts"
import { listWorkspaces } from "../workspace/listWorkspaces.cases.ts"
import { updateWorkspace } from "../workspace/updateWorkspace.cases.ts"
import { getWorkspace } from "../workspace/getWorkspace.cases.ts"
import { createKey } from "../key/createKey.cases.ts"
import { createWorkspace } from "../workspace/createWorkspace.cases.ts"
import { deleteWorkspace } from "../workspace/deleteWorkspace.cases.ts"
import { exchangeAuthorizationCode } from "../authorization/exchangeAuthorizationCode.cases.ts"
import { getCurrentKey } from "../key/getCurrentKey.cases.ts"
import { getGuardrail } from "../guardrail/getGuardrail.cases.ts"
import { getOpenApi } from "../service/getOpenApi.cases.ts"
import { deleteByokCredential } from "../byok/deleteByokCredential.cases.ts"
import { getByokCredential } from "../byok/getByokCredential.cases.ts"
import { listByokCredentials } from "../byok/listByokCredentials.cases.ts"
import { listGuardrails } from "../guardrail/listGuardrails.cases.ts"
import { listDestinations } from "../destination/listDestinations.cases.ts"
import { updateByokCredential } from "../byok/updateByokCredential.cases.ts"
import { recordUsageEvents } from "../usage/recordUsageEvents.cases.ts"
import { getAppRankings } from "../usage/getAppRankings.cases.ts"
import { getRankingsDaily } from "../usage/getRankingsDaily.cases.ts"
import { getSessionCost } from "../usage/getSessionCost.cases.ts"
import { getTaskClassifications } from "../usage/getTaskClassifications.cases.ts"
import { listEndpoints } from "../model/listEndpoints.cases.ts"
import { countModels } from "../model/countModels.cases.ts"
import { getModel } from "../model/getModel.cases.ts"
import { listModels } from "../model/listModels.cases.ts"
import { listProviders } from "../model/listProviders.cases.ts"
import { listUserModels } from "../model/listUserModels.cases.ts"
import { listZdrEndpoints } from "../model/listZdrEndpoints.cases.ts"
import { modelKindCases } from "../model/modelKinds.cases.ts"
import { putCatalog } from "../model/putCatalog.cases.ts"
import { queryAnalytics } from "../usage/queryAnalytics.cases.ts"
import { getAnalyticsMeta } from "../usage/getAnalyticsMeta.cases.ts"
import { getInvoice } from "../usage/getInvoice.cases.ts"
import { erasureCases } from "../erasure/erasures.cases.ts"
import { exportPersonalData } from "../erasure/exportPersonalData.cases.ts"
import { exportUsageEvents } from "../usage/exportUsageEvents.cases.ts"
import { getGeneration } from "../usage/getGeneration.cases.ts"
import { getGenerationContent } from "../prompt/getGenerationContent.cases.ts"
import { submitGenerationFeedback } from "../usage/submitGenerationFeedback.cases.ts"
import { getUserActivity } from "../usage/getUserActivity.cases.ts"
import { updateGuardrail } from "../guardrail/updateGuardrail.cases.ts"

const writtenSuites: readonly CasesOf[] = [
  listDestinations,
  createDestination,
  getDestination,
  updateDestination,
  deleteDestination,
  testDestination,
  listDeliveries,
  listDeadLetters,
  replayDeadLetters,
  createAuthorizationCode,
  exchangeAuthorizationCode,
  exchangeToken,
  getAuthorizationServer,
  listSigningKeys,
  ...federationPolicyCases,
  createGuardrail,
  createByokCredential,
  updateByokCredential,
  listByokCredentials,
  getByokCredential,
  deleteByokCredential,
  deleteFile,
  uploadFile,
  getFile,
  getFileContent,
  listFiles,
  createPreset,
  ...presetFormCases,
  getPreset,
  listPresets,
  ...presetVersionCases,
  ...choosingVersionCases,
  getRankingsDaily,
  getAppRankings,
  getSessionCost,
  getTaskClassifications,
  listModels,
  countModels,
  listUserModels,
  getModel,
  ...modelKindCases,
  listProviders,
  ...externalUserCases,
  ...privateEndpointCases,
  ...privateEndpointLifeCases,
  ...privateProviderCases,
  listEndpoints,
  listZdrEndpoints,
  getWorkspace,
  createWorkspace,
  listWorkspaces,
  updateWorkspace,
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
  ...alertChannelCases,
  listAlerts,
  getAuditLog,
  queryAnalytics,
  getAnalyticsMeta,
  getUserActivity,
  exportUsageEvents,
  exportPersonalData,
  getInvoice,
  getGeneration,
  getGenerationContent,
  submitGenerationFeedback,
  getOpenApi,
  updateGuardrail,
  listGuardrails,
  deleteGuardrail,
  listKeys,
  getKey,
  updateKey,
  rotateKey,
  getCredits,
  deleteKey,
  ...managementKeyCases,
  ...keyRateLimitCases,
  ...workspaceBudgetCases,
  ...workspaceMemberCases,
  listOrganizationMembers,
  ...organizationSettingsCases,
  ...directoryUserCases,
  ...directoryGroupCases,
  ...groupMappingCases,
  ...syncJobCases,
  ...erasureCases,
  ...scimDiscoveryCases,
  ...assignmentCases
]

export const suites: readonly CasesOf[] = writtenSuites.map(withUnknownParameter)
