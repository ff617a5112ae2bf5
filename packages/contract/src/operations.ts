/**
 * The table of operations, in the order of the document: each group followed by its neighbours of the public API.
 *
 * Routing, documentation, handlers and tests are all made from it.
 */
import { cancelAdmission, createAdmission, renewAdmission, settleAdmission } from "./admission.ts"
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
import { getGeneration, submitGenerationFeedback } from "./generation.ts"
import { createGuardrail, deleteGuardrail, getGuardrail, listGuardrails, updateGuardrail } from "./guardrail.ts"
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  updateDestination
} from "./observability/destination.ts"
import { listEndpoints, listZdrEndpoints, putCatalog } from "./model.ts"
import { listEmbeddingModels, listImageModels, listVideoModels } from "./modelKinds.ts"
import { countModels, getModel, listModels, listUserModels } from "./modelList.ts"
import { getKeyRateLimits, putKeyRateLimits } from "./keyRateLimits.ts"
import { createKey, deleteKey, getCurrentKey, getKey, listKeys, updateKey } from "./key.ts"
import { listOrganizationMembers } from "./organizationMember.ts"
import { createPreset, getPreset, listPresets } from "./preset.ts"
import { createPresetFromMessages, createPresetFromResponses } from "./presetForms.ts"
import {
  comparePresetVersions,
  getPresetVersion,
  listPresetVersions,
  putDesignatedVersion,
  restorePresetVersion
} from "./presetVersion.ts"
import { listProviders } from "./provider.ts"
import { getRankingsDaily } from "./rankings.ts"
import { getOpenApi } from "./service.ts"
import { recordUsageEvents } from "./usage.ts"
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces, updateWorkspace } from "./workspace.ts"
import {
  deleteWorkspaceBudget,
  getWorkspaceBudget,
  listWorkspaceBudgets,
  putWorkspaceBudget
} from "./workspaceBudget.ts"
import { addWorkspaceMembers, listWorkspaceMembers, removeWorkspaceMembers } from "./workspaceMember.ts"

export const operations = [
  listDestinations,
  createDestination,
  getDestination,
  updateDestination,
  deleteDestination,
  createAuthorizationCode,
  exchangeAuthorizationCode,
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
  submitGenerationFeedback,
  deleteFile,
  uploadFile,
  getFile,
  listFiles,
  getFileContent,
  getRankingsDaily,
  listModels,
  countModels,
  listUserModels,
  getModel,
  listEmbeddingModels,
  listImageModels,
  listVideoModels,
  listProviders,
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
  createKey,
  getCurrentKey,
  listKeys,
  getKey,
  updateKey,
  deleteKey,
  getKeyRateLimits,
  putKeyRateLimits,
  putCatalog,
  recordUsageEvents,
  createAdmission,
  renewAdmission,
  settleAdmission,
  cancelAdmission,
  createExplanation,
  listBudgetWarnings,
  getAuditLog,
  getOpenApi
] as const

export type Operation = (typeof operations)[number]
export type OperationId = Operation["id"]
export type OperationOf<Id extends OperationId> = Extract<Operation, { readonly id: Id }>
