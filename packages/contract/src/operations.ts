/**
 * The table of operations, in the order of the document: each group followed by its neighbours of the public API.
 *
 * Routing, documentation, handlers and tests are all made from it.
 */
import { listAlerts } from "./alert.ts"
import {
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
  testAlertChannel,
  updateAlertChannel
} from "./alertChannel.ts"
import { createAdmission } from "./admission.ts"
import { cancelAdmission, renewAdmission, settleAdmission } from "./settlement.ts"
import {
  assignKeys,
  assignMembers,
  listGuardrailKeyAssignments,
  listGuardrailMemberAssignments,
  listKeyAssignments,
  listMemberAssignments,
  unassignKeys,
  unassignMembers
} from "./assignment.ts"
import { getAnalyticsMeta, getUserActivity, queryAnalytics } from "./analytics.ts"
import { getAuditLog } from "./auditLog.ts"
import { createAuthorizationCode, exchangeAuthorizationCode } from "./authorization.ts"
import { getAuthorizationServer, listSigningKeys } from "./authorizationServer.ts"
import { listBudgetWarnings } from "./budgetWarning.ts"
import {
  createByokCredential,
  deleteByokCredential,
  getByokCredential,
  listByokCredentials,
  updateByokCredential
} from "./byok.ts"
import { createExplanation } from "./explanation.ts"
import { deleteFile, getFile, getFileContent, listFiles, uploadFile } from "./file.ts"
import {
  createFederationPolicy,
  deleteFederationPolicy,
  getFederationPolicy,
  listFederationPolicies,
  updateFederationPolicy
} from "./federationPolicy.ts"
import { getGeneration, submitGenerationFeedback } from "./generation.ts"
import { getGenerationContent } from "./generationContent.ts"
import { createGuardrail, deleteGuardrail, getGuardrail, listGuardrails, updateGuardrail } from "./guardrail.ts"
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  updateDestination
} from "./observability/destination.ts"
import { listDeadLetters, listDeliveries, replayDeadLetters, testDestination } from "./observability/delivery.ts"
import { listEndpoints, listZdrEndpoints, putCatalog } from "./model.ts"
import { listEmbeddingModels, listImageModelEndpoints, listImageModels, listVideoModels } from "./modelKinds.ts"
import { countModels, getModel, listModels, listUserModels } from "./modelList.ts"
import { getKeyRateLimits, putKeyRateLimits } from "./keyRateLimits.ts"
import { createKey, deleteKey, getCurrentKey, getKey, listKeys, rotateKey, updateKey } from "./key.ts"
import { createManagementKey, deleteManagementKey, listManagementKeys } from "./managementKey.ts"
import { listOrganizationMembers } from "./organizationMember.ts"
import {
  createExternalUser,
  deleteExternalUser,
  getExternalUser,
  listExternalUsers,
  updateExternalUser
} from "./externalUser.ts"
import { getOrganizationSettings, updateOrganizationSettings } from "./organizationSettings.ts"
import { createPreset, getPreset, listPresets } from "./preset.ts"
import { createPresetFromMessages, createPresetFromResponses } from "./presetForms.ts"
import {
  comparePresetVersions,
  getPresetVersion,
  listPresetVersions,
  putDesignatedVersion,
  restorePresetVersion
} from "./presetVersion.ts"
import {
  activatePrivateEndpoint,
  createPrivateEndpoint,
  deletePrivateEndpoint,
  disablePrivateEndpoint,
  enablePrivateEndpoint,
  getPrivateEndpoint,
  listPrivateEndpoints,
  updatePrivateEndpoint,
  updatePrivateEndpointPricing,
  validatePrivateEndpoint
} from "./privateEndpoint.ts"
import {
  createPrivateProvider,
  deletePrivateProvider,
  getPrivateProvider,
  listPrivateProviders,
  updatePrivateProvider
} from "./privateProvider.ts"
import { listProviders } from "./provider.ts"
import { getAppRankings } from "./appRankings.ts"
import { getRankingsDaily } from "./rankings.ts"
import { getSessionCost } from "./sessionCost.ts"
import { getTaskClassifications } from "./taskClassifications.ts"
import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  getDirectoryGroup,
  listDirectoryGroups,
  patchDirectoryGroup,
  putDirectoryGroup
} from "./scim/directoryGroup.ts"
import {
  createDirectoryUser,
  deleteDirectoryUser,
  getDirectoryUser,
  listDirectoryUsers,
  patchDirectoryUser,
  putDirectoryUser
} from "./scim/directoryUser.ts"
import {
  getScimResourceType,
  getScimSchema,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas
} from "./scim/discovery.ts"
import {
  createGroupMapping,
  deleteGroupMapping,
  getGroupMapping,
  listGroupMappings,
  listMappableGroups,
  updateGroupMapping
} from "./scim/groupMapping.ts"
import { createSyncJob, getSyncJob } from "./scim/syncJob.ts"
import { getOpenApi } from "./service.ts"
import { getCredits } from "./credits.ts"
import { exchangeToken } from "./tokenExchange.ts"
import { recordUsageEvents } from "./usage.ts"
import { exportUsageEvents } from "./usageExport.ts"
import { getInvoice } from "./invoice.ts"
import { createErasure, getErasure, listErasures } from "./erasure.ts"
import { exportPersonalData } from "./personalData.ts"
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from "./workspace.ts"
import {
  deleteWorkspaceBudget,
  getWorkspaceBudget,
  listWorkspaceBudgets,
  putWorkspaceBudget
} from "./workspaceBudget.ts"
import { addWorkspaceMembers, listWorkspaceMembers, removeWorkspaceMembers } from "./workspaceMember.ts"

/** Declared by name: inferred, the table would repeat every schema of the API in one declaration of a megabyte. */
type Operations = readonly [
  typeof listDestinations,
  typeof createDestination,
  typeof getDestination,
  typeof updateDestination,
  typeof deleteDestination,
  typeof testDestination,
  typeof listDeliveries,
  typeof listDeadLetters,
  typeof replayDeadLetters,
  typeof createAuthorizationCode,
  typeof exchangeAuthorizationCode,
  typeof getCredits,
  typeof exchangeToken,
  typeof getAuthorizationServer,
  typeof listSigningKeys,
  typeof createFederationPolicy,
  typeof listFederationPolicies,
  typeof getFederationPolicy,
  typeof updateFederationPolicy,
  typeof deleteFederationPolicy,
  typeof createGuardrail,
  typeof updateGuardrail,
  typeof getGuardrail,
  typeof listGuardrails,
  typeof deleteGuardrail,
  typeof assignKeys,
  typeof unassignKeys,
  typeof listGuardrailKeyAssignments,
  typeof listKeyAssignments,
  typeof assignMembers,
  typeof unassignMembers,
  typeof listGuardrailMemberAssignments,
  typeof listMemberAssignments,
  typeof createByokCredential,
  typeof updateByokCredential,
  typeof listByokCredentials,
  typeof getByokCredential,
  typeof deleteByokCredential,
  typeof queryAnalytics,
  typeof getAnalyticsMeta,
  typeof getUserActivity,
  typeof getGeneration,
  typeof getGenerationContent,
  typeof submitGenerationFeedback,
  typeof deleteFile,
  typeof uploadFile,
  typeof getFile,
  typeof listFiles,
  typeof getFileContent,
  typeof getRankingsDaily,
  typeof getAppRankings,
  typeof getSessionCost,
  typeof getTaskClassifications,
  typeof listModels,
  typeof countModels,
  typeof listUserModels,
  typeof getModel,
  typeof listEmbeddingModels,
  typeof listImageModels,
  typeof listImageModelEndpoints,
  typeof listVideoModels,
  typeof listProviders,
  typeof listPrivateEndpoints,
  typeof createPrivateEndpoint,
  typeof getPrivateEndpoint,
  typeof updatePrivateEndpoint,
  typeof deletePrivateEndpoint,
  typeof validatePrivateEndpoint,
  typeof activatePrivateEndpoint,
  typeof disablePrivateEndpoint,
  typeof enablePrivateEndpoint,
  typeof updatePrivateEndpointPricing,
  typeof listPrivateProviders,
  typeof createPrivateProvider,
  typeof getPrivateProvider,
  typeof updatePrivateProvider,
  typeof deletePrivateProvider,
  typeof listEndpoints,
  typeof listZdrEndpoints,
  typeof createPreset,
  typeof createPresetFromMessages,
  typeof createPresetFromResponses,
  typeof getPreset,
  typeof listPresets,
  typeof listPresetVersions,
  typeof getPresetVersion,
  typeof putDesignatedVersion,
  typeof restorePresetVersion,
  typeof comparePresetVersions,
  typeof getWorkspace,
  typeof createWorkspace,
  typeof listWorkspaces,
  typeof updateWorkspace,
  typeof deleteWorkspace,
  typeof listWorkspaceBudgets,
  typeof getWorkspaceBudget,
  typeof putWorkspaceBudget,
  typeof deleteWorkspaceBudget,
  typeof listWorkspaceMembers,
  typeof addWorkspaceMembers,
  typeof removeWorkspaceMembers,
  typeof listOrganizationMembers,
  typeof getOrganizationSettings,
  typeof updateOrganizationSettings,
  typeof listExternalUsers,
  typeof createExternalUser,
  typeof getExternalUser,
  typeof updateExternalUser,
  typeof deleteExternalUser,
  typeof listGroupMappings,
  typeof createGroupMapping,
  typeof getGroupMapping,
  typeof updateGroupMapping,
  typeof deleteGroupMapping,
  typeof listMappableGroups,
  typeof createSyncJob,
  typeof getSyncJob,
  typeof createDirectoryUser,
  typeof getDirectoryUser,
  typeof listDirectoryUsers,
  typeof putDirectoryUser,
  typeof patchDirectoryUser,
  typeof deleteDirectoryUser,
  typeof createDirectoryGroup,
  typeof getDirectoryGroup,
  typeof listDirectoryGroups,
  typeof putDirectoryGroup,
  typeof patchDirectoryGroup,
  typeof deleteDirectoryGroup,
  typeof getScimServiceProviderConfig,
  typeof listScimResourceTypes,
  typeof getScimResourceType,
  typeof listScimSchemas,
  typeof getScimSchema,
  typeof createKey,
  typeof getCurrentKey,
  typeof listKeys,
  typeof getKey,
  typeof updateKey,
  typeof rotateKey,
  typeof deleteKey,
  typeof createManagementKey,
  typeof listManagementKeys,
  typeof deleteManagementKey,
  typeof getKeyRateLimits,
  typeof putKeyRateLimits,
  typeof putCatalog,
  typeof recordUsageEvents,
  typeof exportUsageEvents,
  typeof exportPersonalData,
  typeof createErasure,
  typeof getErasure,
  typeof listErasures,
  typeof getInvoice,
  typeof createAdmission,
  typeof renewAdmission,
  typeof settleAdmission,
  typeof cancelAdmission,
  typeof createExplanation,
  typeof listBudgetWarnings,
  typeof createAlertChannel,
  typeof listAlertChannels,
  typeof getAlertChannel,
  typeof updateAlertChannel,
  typeof deleteAlertChannel,
  typeof testAlertChannel,
  typeof listAlerts,
  typeof getAuditLog,
  typeof getOpenApi
]

export const operations: Operations = [
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
  getCredits,
  exchangeToken,
  getAuthorizationServer,
  listSigningKeys,
  createFederationPolicy,
  listFederationPolicies,
  getFederationPolicy,
  updateFederationPolicy,
  deleteFederationPolicy,
  createGuardrail,
  updateGuardrail,
  getGuardrail,
  listGuardrails,
  deleteGuardrail,
  assignKeys,
  unassignKeys,
  listGuardrailKeyAssignments,
  listKeyAssignments,
  assignMembers,
  unassignMembers,
  listGuardrailMemberAssignments,
  listMemberAssignments,
  createByokCredential,
  updateByokCredential,
  listByokCredentials,
  getByokCredential,
  deleteByokCredential,
  queryAnalytics,
  getAnalyticsMeta,
  getUserActivity,
  getGeneration,
  getGenerationContent,
  submitGenerationFeedback,
  deleteFile,
  uploadFile,
  getFile,
  listFiles,
  getFileContent,
  getRankingsDaily,
  getAppRankings,
  getSessionCost,
  getTaskClassifications,
  listModels,
  countModels,
  listUserModels,
  getModel,
  listEmbeddingModels,
  listImageModels,
  listImageModelEndpoints,
  listVideoModels,
  listProviders,
  listPrivateEndpoints,
  createPrivateEndpoint,
  getPrivateEndpoint,
  updatePrivateEndpoint,
  deletePrivateEndpoint,
  validatePrivateEndpoint,
  activatePrivateEndpoint,
  disablePrivateEndpoint,
  enablePrivateEndpoint,
  updatePrivateEndpointPricing,
  listPrivateProviders,
  createPrivateProvider,
  getPrivateProvider,
  updatePrivateProvider,
  deletePrivateProvider,
  listEndpoints,
  listZdrEndpoints,
  createPreset,
  createPresetFromMessages,
  createPresetFromResponses,
  getPreset,
  listPresets,
  listPresetVersions,
  getPresetVersion,
  putDesignatedVersion,
  restorePresetVersion,
  comparePresetVersions,
  getWorkspace,
  createWorkspace,
  listWorkspaces,
  updateWorkspace,
  deleteWorkspace,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  putWorkspaceBudget,
  deleteWorkspaceBudget,
  listWorkspaceMembers,
  addWorkspaceMembers,
  removeWorkspaceMembers,
  listOrganizationMembers,
  getOrganizationSettings,
  updateOrganizationSettings,
  listExternalUsers,
  createExternalUser,
  getExternalUser,
  updateExternalUser,
  deleteExternalUser,
  listGroupMappings,
  createGroupMapping,
  getGroupMapping,
  updateGroupMapping,
  deleteGroupMapping,
  listMappableGroups,
  createSyncJob,
  getSyncJob,
  createDirectoryUser,
  getDirectoryUser,
  listDirectoryUsers,
  putDirectoryUser,
  patchDirectoryUser,
  deleteDirectoryUser,
  createDirectoryGroup,
  getDirectoryGroup,
  listDirectoryGroups,
  putDirectoryGroup,
  patchDirectoryGroup,
  deleteDirectoryGroup,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  getScimResourceType,
  listScimSchemas,
  getScimSchema,
  createKey,
  getCurrentKey,
  listKeys,
  getKey,
  updateKey,
  rotateKey,
  deleteKey,
  createManagementKey,
  listManagementKeys,
  deleteManagementKey,
  getKeyRateLimits,
  putKeyRateLimits,
  putCatalog,
  recordUsageEvents,
  exportUsageEvents,
  exportPersonalData,
  createErasure,
  getErasure,
  listErasures,
  getInvoice,
  createAdmission,
  renewAdmission,
  settleAdmission,
  cancelAdmission,
  createExplanation,
  listBudgetWarnings,
  createAlertChannel,
  listAlertChannels,
  getAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  listAlerts,
  getAuditLog,
  getOpenApi
]

export type Operation = (typeof operations)[number]
export type OperationId = Operation["id"]
export type OperationOf<Id extends OperationId> = Extract<Operation, { readonly id: Id }>
