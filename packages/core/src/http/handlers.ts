/** The handler of every operation. A missing operation, or a failure with an undeclared status, does not compile. */
import {
  type Operation,
  type OperationId,
  type OperationOf,
  type StatusOf,
  type SuccessOf,
  authorizationServer,
  exchangedToken,
  openApiDocument
} from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import { accountForKey, actingOnAdmission, admissionAsked, withKeyHash } from "../access/actingAccount.ts"
import {
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
  listAlerts,
  testAlertChannel,
  updateAlertChannel
} from "../alert/operations.ts"
import { getCredits } from "../credit/credits.ts"
import {
  createKey,
  deleteKey,
  getCurrentKey,
  getKey,
  getKeyRateLimits,
  listKeys,
  putKeyRateLimits,
  updateKey
} from "../key/operations.ts"
import { createManagementKey, deleteManagementKey, listManagementKeys } from "../key/managementKeys.ts"
import { rotateKey } from "../key/rotateKey.ts"
import { getAnalyticsMeta, queryAnalytics } from "../usage/analytics/queryAnalytics.ts"
import { getGeneration, getGenerationContent, submitGenerationFeedback } from "../usage/generation/generation.ts"
import { getUserActivity } from "../usage/analytics/getUserActivity.ts"
import { createAuthorizationCode, exchangeAuthorizationCode } from "../authorization/operations.ts"
import {
  createFederationPolicy,
  deleteFederationPolicy,
  getFederationPolicy,
  listFederationPolicies,
  updateFederationPolicy
} from "../federation/operations.ts"
import { exchangeToken } from "../federation/exchangeToken.ts"
import {
  createGroupMapping,
  createSyncJob,
  deleteGroupMapping,
  getGroupMapping,
  getSyncJob,
  listGroupMappings,
  listMappableGroups,
  updateGroupMapping
} from "../directory/mappingOperations.ts"
import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  getDirectoryGroup,
  listDirectoryGroups,
  patchDirectoryGroup,
  putDirectoryGroup
} from "../directory/groupOperations.ts"
import {
  createDirectoryUser,
  deleteDirectoryUser,
  getDirectoryUser,
  listDirectoryUsers,
  patchDirectoryUser,
  putDirectoryUser
} from "../directory/userOperations.ts"
import {
  getScimResourceType,
  getScimSchema,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas
} from "../directory/discovery.ts"
import type { BodyFailure, Failure } from "../value/failure.ts"
import { admit } from "../decision/admit.ts"
import { answerExplanation } from "../explanation/replayUsage.ts"
import { cancelAdmission, listBudgetWarnings, renewAdmission } from "../ledger/operations.ts"
import { settleAdmission } from "../decision/settleAdmission.ts"
import {
  createByokCredential,
  deleteByokCredential,
  getByokCredential,
  listByokCredentials,
  updateByokCredential
} from "../byok/operations.ts"
import { deleteFile, getFile, getFileContent, listFiles, uploadFile } from "../file/operations.ts"
import {
  assignGuardrail,
  listGuardrailKeyAssignments,
  listGuardrailMemberAssignments,
  listKeyAssignments,
  listMemberAssignments,
  unassignGuardrail
} from "../guardrail/assignments.ts"
import {
  createGuardrail,
  deleteGuardrail,
  getGuardrail,
  listGuardrails,
  updateGuardrail
} from "../guardrail/operations.ts"
import { listEndpoints, listImageModelEndpoints, listZdrEndpoints } from "../model/endpoints.ts"
import {
  countModels,
  getModel,
  listImageModels,
  listModels,
  listProviders,
  listVideoModels
} from "../model/operations.ts"
import {
  createPrivateEndpoint,
  deletePrivateEndpoint,
  getPrivateEndpoint,
  listPrivateEndpoints,
  updatePrivateEndpoint,
  updatePrivateEndpointPricing
} from "../privateEndpoint/operations.ts"
import {
  activatePrivateEndpoint,
  disablePrivateEndpoint,
  enablePrivateEndpoint,
  validatePrivateEndpoint
} from "../privateEndpoint/states.ts"
import {
  createPrivateProvider,
  deletePrivateProvider,
  getPrivateProvider,
  listPrivateProviders,
  updatePrivateProvider
} from "../privateEndpoint/providers.ts"
import { listCatalogModels, listUserModels } from "../decision/listCatalogModels.ts"
import { putCatalog } from "../model/putCatalog.ts"
import { listDeadLetters, listDeliveries, replayDeadLetters, testDestination } from "../delivery/operations.ts"
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  updateDestination
} from "../destination/operations.ts"
import { createPreset, getPreset, listPresets, presetForms } from "../preset/operations.ts"
import {
  comparePresetVersions,
  getPresetVersion,
  listPresetVersions,
  putDesignatedVersion,
  restorePresetVersion
} from "../preset/versions.ts"
import { getAppRankings, getSessionCost, getTaskClassifications } from "../usage/datasets/datasets.ts"
import { getRankingsDaily } from "../usage/rankings/rankings.ts"
import { getAuditLog } from "../audit/auditLog.ts"
import type { Services } from "./Services.ts"
import { getInvoice } from "../usage/invoice/invoice.ts"
import { exportUsageEvents } from "../usage/export/exportUsageEvents.ts"
import { createErasure, exportPersonalData, getErasure, listErasures } from "../erasure/operations.ts"
import { recordUsageEvents } from "../usage/recordUsageEvents.ts"
import {
  createWorkspace,
  deleteWorkspace,
  getOrganizationSettings,
  getWorkspace,
  listWorkspaces,
  updateOrganizationSettings,
  updateWorkspace
} from "../workspace/operations.ts"
import {
  deleteWorkspaceBudget,
  getWorkspaceBudget,
  listWorkspaceBudgets,
  putWorkspaceBudget
} from "../workspace/budgets.ts"
import {
  addWorkspaceMembers,
  listOrganizationMembers,
  listWorkspaceMembers,
  removeWorkspaceMembers
} from "../workspace/members.ts"
import {
  createExternalUser,
  deleteExternalUser,
  getExternalUser,
  listExternalUsers,
  updateExternalUser
} from "../externalUser/operations.ts"
import type { PrintedAnswer, StreamedAnswer } from "../value/PrintedAnswer.ts"
import { withTag } from "../model/CatalogAnswers.ts"
import type { Input } from "./readQuery.ts"
import { endpointForms } from "./wireProfile.ts"

/** What a handler answers: the value, its printed form, or bytes with a type of their own. */
type Answered<T> = T | PrintedAnswer<T> | (T extends ReadableStream<Uint8Array> ? StreamedAnswer : never)

/** A handler may fail only with the statuses that its operation declares, and those of reading a body. */
export type Handler<O extends Operation> = (
  input: Input<O>
) => Effect.Effect<
  Answered<SuccessOf<O>>,
  Extract<Failure, { readonly status: StatusOf<O> | BodyFailure["status"] }>,
  Services
>

export type Handlers = { readonly [Id in OperationId]: Handler<OperationOf<Id>> }

/** Wraps a single object as every single-object answer is (Rule: requests#single-objects). */
export const data = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly data: A }, E, R> =>
  Effect.map(effect, (value) => ({ data: value }))

/** With the signing secret, where the request made one. */
const shown = <A extends { readonly signing_secret: Redacted.Redacted<string> | undefined }, E, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.map(effect, (made) => ({
    ...made,
    signing_secret: made.signing_secret === undefined ? null : Redacted.value(made.signing_secret)
  }))

export const handlers: Handlers = {
  listDestinations: ({ caller, query }) => listDestinations(caller, query),
  createDestination: ({ caller, body: { config, ...fields } }) =>
    data(createDestination(caller, Redacted.make(config), fields)),
  getDestination: ({ caller, params }) => data(getDestination(caller, params.id)),
  updateDestination: ({ caller, params, body: { config, ...fields } }) =>
    data(updateDestination(caller, params.id, config === undefined ? undefined : Redacted.make(config), fields)),
  deleteDestination: ({ caller, params }) => deleteDestination(caller, params.id),
  testDestination: ({ caller, params }) => data(testDestination(caller, params.id)),
  listDeliveries: ({ caller, params, query }) => listDeliveries(caller, params.id, query),
  listDeadLetters: ({ caller, params, query }) => listDeadLetters(caller, params.id, query),
  replayDeadLetters: ({ caller, params, body }) => data(replayDeadLetters(caller, params.id, body)),
  createAuthorizationCode: ({ caller, body }) => data(createAuthorizationCode(caller, body)),
  exchangeAuthorizationCode: ({ body: { code, code_verifier, code_challenge_method } }) =>
    Effect.map(
      exchangeAuthorizationCode({
        code: Redacted.make(code),
        code_verifier: code_verifier === undefined ? undefined : Redacted.make(code_verifier),
        code_challenge_method
      }),
      ({ key, user_id }) => ({ key: Redacted.value(key), user_id })
    ),
  exchangeToken: ({ body: { subject_token, federation_policy_id } }) =>
    Effect.map(
      exchangeToken({ subject_token: Redacted.make(subject_token), federation_policy_id }),
      ({ key, expires_in }) => exchangedToken(Redacted.value(key), expires_in)
    ),
  getAuthorizationServer: ({ request }) =>
    Effect.map(request.address, (address) => authorizationServer(address, request.hasAuthPage)),
  listSigningKeys: () => Effect.succeed({ keys: [] }),
  createFederationPolicy: ({ caller, body }) => data(createFederationPolicy(caller, body)),
  listFederationPolicies: ({ caller, query }) => listFederationPolicies(caller, query),
  getFederationPolicy: ({ caller, params }) => data(getFederationPolicy(caller, params.id)),
  updateFederationPolicy: ({ caller, params, body }) => data(updateFederationPolicy(caller, params.id, body)),
  deleteFederationPolicy: ({ caller, params }) => deleteFederationPolicy(caller, params.id),
  createGuardrail: ({ caller, body }) => createGuardrail(caller, body),
  updateGuardrail: ({ caller, params, body }) => updateGuardrail(caller, params.id, body),
  getGuardrail: ({ caller, params }) => data(getGuardrail(caller, params.id)),
  listGuardrails: ({ caller, query }) => listGuardrails(caller, query),
  deleteGuardrail: ({ caller, params }) => deleteGuardrail(caller, params.id),
  assignKeys: ({ caller, params, body }) => assignGuardrail("keys", caller, params.id, body.key_hashes),
  unassignKeys: ({ caller, params, body }) => unassignGuardrail("keys", caller, params.id, body.key_hashes),
  listGuardrailKeyAssignments: ({ caller, params, query }) => listGuardrailKeyAssignments(caller, params.id, query),
  listKeyAssignments: ({ caller, query }) => listKeyAssignments(caller, query),
  assignMembers: ({ caller, params, body }) => assignGuardrail("members", caller, params.id, body.member_user_ids),
  unassignMembers: ({ caller, params, body }) => unassignGuardrail("members", caller, params.id, body.member_user_ids),
  listGuardrailMemberAssignments: ({ caller, params, query }) =>
    listGuardrailMemberAssignments(caller, params.id, query),
  listMemberAssignments: ({ caller, query }) => listMemberAssignments(caller, query),
  createByokCredential: ({ caller, body: { key, ...fields } }) =>
    data(createByokCredential(caller, Redacted.make(key), fields)),
  updateByokCredential: ({ caller, params, body: { key, ...fields } }) =>
    data(updateByokCredential(caller, params.id, key === undefined ? undefined : Redacted.make(key), fields)),
  listByokCredentials: ({ caller, query }) => listByokCredentials(caller, query),
  getByokCredential: ({ caller, params }) => data(getByokCredential(caller, params.id)),
  deleteByokCredential: ({ caller, params }) => deleteByokCredential(caller, params.id),
  queryAnalytics: ({ caller, body, request }) =>
    data(
      queryAnalytics(caller, body, (source) => {
        if (request.headers["gatewarden-debug"] === "plan") request.answerHeaders["gatewarden-plan"] = source
      })
    ),
  getAnalyticsMeta: () => data(getAnalyticsMeta()),
  getGeneration: ({ caller, query }) => data(getGeneration(caller, query.id)),
  getGenerationContent: ({ caller, query }) => data(getGenerationContent(caller, query.id)),
  submitGenerationFeedback: ({ caller, body }) => data(submitGenerationFeedback(caller, body)),
  getUserActivity: ({ caller, query }) => getUserActivity(caller, query),
  deleteFile: ({ caller, params, query }) => deleteFile(caller, params.file_id, query),
  uploadFile: ({ caller, query, body }) => uploadFile(caller, query, body),
  getFile: ({ caller, params, query }) => getFile(caller, params.file_id, query),
  getFileContent: ({ caller, params, query }) => getFileContent(caller, params.file_id, query),
  listFiles: ({ caller, query }) => listFiles(caller, query),
  getRankingsDaily: ({ query }) => getRankingsDaily(query),
  getAppRankings: ({ query }) => getAppRankings(query),
  getSessionCost: ({ query }) => getSessionCost(query),
  getTaskClassifications: () => data(getTaskClassifications()),
  listModels: ({ caller, query, request }) => listCatalogModels(caller, query, request.region),
  countModels: ({ caller, query }) => countModels(caller, query),
  listUserModels: ({ caller, query, request }) => listUserModels(caller, query, request.region),
  getModel: ({ caller, params }) => data(getModel(caller, params.author, params.slug)),
  listEmbeddingModels: ({ caller, query }) => listModels(caller, { ...query, output_modalities: "embeddings" }),
  listImageModels: ({ caller }) => listImageModels(caller),
  listImageModelEndpoints: ({ caller, params }) => listImageModelEndpoints(caller, params.author, params.slug),
  listVideoModels: ({ caller }) => listVideoModels(caller),
  listProviders: ({ caller }) => listProviders(caller),
  listPrivateEndpoints: ({ caller }) => listPrivateEndpoints(caller),
  createPrivateEndpoint: ({ caller, body, request }) =>
    data(createPrivateEndpoint(caller, body, request.answerHeaders)),
  getPrivateEndpoint: ({ caller, params }) => data(getPrivateEndpoint(caller, params.id)),
  updatePrivateEndpoint: ({ caller, params, body }) => data(updatePrivateEndpoint(caller, params.id, body)),
  deletePrivateEndpoint: ({ caller, params, query }) =>
    data(deletePrivateEndpoint(caller, params.id, query.draft_only)),
  validatePrivateEndpoint: ({ caller, params, body }) =>
    data(validatePrivateEndpoint(caller, params.id, body.workspace_id)),
  activatePrivateEndpoint: ({ caller, params }) => data(activatePrivateEndpoint(caller, params.id)),
  disablePrivateEndpoint: ({ caller, params }) => data(disablePrivateEndpoint(caller, params.id)),
  enablePrivateEndpoint: ({ caller, params }) => data(enablePrivateEndpoint(caller, params.id)),
  updatePrivateEndpointPricing: ({ caller, params, body }) =>
    data(updatePrivateEndpointPricing(caller, params.id, body.pricing)),
  listPrivateProviders: ({ caller }) => listPrivateProviders(caller),
  createPrivateProvider: ({ caller, body }) => data(createPrivateProvider(caller, body)),
  getPrivateProvider: ({ caller, params }) => data(getPrivateProvider(caller, params.slug)),
  updatePrivateProvider: ({ caller, params, body }) => data(updatePrivateProvider(caller, params.slug, body)),
  deletePrivateProvider: ({ caller, params }) => data(deletePrivateProvider(caller, params.slug)),
  listZdrEndpoints: ({ caller, request }) =>
    listZdrEndpoints(caller, { name: request.profile, of: endpointForms[request.profile] }),
  listEndpoints: ({ caller, params }) => data(listEndpoints(caller, params.author, params.slug)),
  createPreset: ({ caller, params, query, body, sent }) =>
    data(createPreset(caller, params.slug, query.workspace_id, presetForms.chat(body, sent as object), sent as object)),
  createPresetFromMessages: ({ caller, params, query, body, sent }) =>
    data(
      createPreset(caller, params.slug, query.workspace_id, presetForms.messages(body, sent as object), sent as object)
    ),
  createPresetFromResponses: ({ caller, params, query, body, sent }) =>
    data(
      createPreset(caller, params.slug, query.workspace_id, presetForms.responses(body, sent as object), sent as object)
    ),
  getPreset: ({ caller, params, query }) => data(getPreset(caller, params.slug, query.workspace_id)),
  listPresets: ({ caller, query }) => listPresets(caller, query),
  listPresetVersions: ({ caller, params, query }) => listPresetVersions(caller, params.slug, query),
  getPresetVersion: ({ caller, params, query }) => data(getPresetVersion(caller, params, query.workspace_id)),
  putDesignatedVersion: ({ caller, params, query, body }) =>
    data(putDesignatedVersion(caller, params.slug, query.workspace_id, body.version)),
  restorePresetVersion: ({ caller, params, query }) => data(restorePresetVersion(caller, params, query.workspace_id)),
  comparePresetVersions: ({ caller, params, query }) => data(comparePresetVersions(caller, params, query)),
  getWorkspace: ({ caller, params }) => data(getWorkspace(caller, params.id)),
  createWorkspace: ({ caller, body }) => data(createWorkspace(caller, body)),
  listWorkspaces: ({ caller, query }) => listWorkspaces(caller, query),
  updateWorkspace: ({ caller, params, body }) => data(updateWorkspace(caller, params.id, body)),
  deleteWorkspace: ({ caller, params, query }) =>
    deleteWorkspace(caller, params.id, query.confirm_default_workspace_deletion),
  listWorkspaceBudgets: ({ caller, params }) => listWorkspaceBudgets(caller, params.id),
  getWorkspaceBudget: ({ caller, params }) => getWorkspaceBudget(caller, params.id, params.interval),
  putWorkspaceBudget: ({ caller, params, body }) => putWorkspaceBudget(caller, params.id, params.interval, body),
  deleteWorkspaceBudget: ({ caller, params }) => deleteWorkspaceBudget(caller, params.id, params.interval),
  listWorkspaceMembers: ({ caller, params, query }) => listWorkspaceMembers(caller, params.id, query),
  addWorkspaceMembers: ({ caller, params, body }) => addWorkspaceMembers(caller, params.id, body.user_ids),
  removeWorkspaceMembers: ({ caller, params, body }) => removeWorkspaceMembers(caller, params.id, body.user_ids),
  listOrganizationMembers: ({ caller, query }) => listOrganizationMembers(caller, query),
  getOrganizationSettings: ({ caller }) => data(getOrganizationSettings(caller)),
  updateOrganizationSettings: ({ caller, body }) => data(updateOrganizationSettings(caller, body)),
  listExternalUsers: ({ caller, query }) => listExternalUsers(caller, query),
  createExternalUser: ({ caller, body }) => data(createExternalUser(caller, body)),
  getExternalUser: ({ caller, params }) => data(getExternalUser(caller, params.user)),
  updateExternalUser: ({ caller, params, body }) => data(updateExternalUser(caller, params.user, body.is_active)),
  deleteExternalUser: ({ caller, params }) => Effect.as(deleteExternalUser(caller, params.user), undefined),
  listGroupMappings: ({ caller, query }) => listGroupMappings(caller, query),
  createGroupMapping: ({ caller, body }) => data(createGroupMapping(caller, body)),
  getGroupMapping: ({ caller, params }) => data(getGroupMapping(caller, params.id)),
  updateGroupMapping: ({ caller, params, body }) => data(updateGroupMapping(caller, params.id, body.role)),
  deleteGroupMapping: ({ caller, params, query }) => deleteGroupMapping(caller, params.id, query.keep_members),
  listMappableGroups: ({ caller, query }) => listMappableGroups(caller, query),
  createSyncJob: ({ caller }) => data(createSyncJob(caller)),
  getSyncJob: ({ caller, params }) => data(getSyncJob(caller, params.id)),
  createDirectoryUser: ({ caller, query, body }) => createDirectoryUser(caller, body, query),
  getDirectoryUser: ({ caller, params, query }) => getDirectoryUser(caller, params.id, query),
  listDirectoryUsers: ({ caller, query }) => listDirectoryUsers(caller, query),
  putDirectoryUser: ({ caller, params, query, body }) => putDirectoryUser(caller, params.id, body, query),
  patchDirectoryUser: ({ caller, params, query, body }) => patchDirectoryUser(caller, params.id, body, query),
  deleteDirectoryUser: ({ caller, params }) => Effect.as(deleteDirectoryUser(caller, params.id), undefined),
  createDirectoryGroup: ({ caller, query, body }) => createDirectoryGroup(caller, body, query),
  getDirectoryGroup: ({ caller, params, query }) => getDirectoryGroup(caller, params.id, query),
  listDirectoryGroups: ({ caller, query }) => listDirectoryGroups(caller, query),
  putDirectoryGroup: ({ caller, params, query, body }) => putDirectoryGroup(caller, params.id, body, query),
  patchDirectoryGroup: ({ caller, params, body }) => Effect.as(patchDirectoryGroup(caller, params.id, body), undefined),
  deleteDirectoryGroup: ({ caller, params }) => Effect.as(deleteDirectoryGroup(caller, params.id), undefined),
  getScimServiceProviderConfig: () => getScimServiceProviderConfig,
  listScimResourceTypes: () => listScimResourceTypes,
  getScimResourceType: ({ params }) => getScimResourceType(params.id),
  listScimSchemas: () => listScimSchemas,
  getScimSchema: ({ params }) => getScimSchema(params.id),
  putCatalog: ({ caller, query, body }) => data(putCatalog(caller, query.account, body)),
  exportUsageEvents: ({ caller, query, request }) => exportUsageEvents(caller, query, request.headers["accept"]),
  exportPersonalData: ({ caller, query }) => exportPersonalData(caller, query),
  createErasure: ({ caller, body }) => data(createErasure(caller, body)),
  getErasure: ({ caller, params }) => data(getErasure(caller, params.id)),
  listErasures: ({ caller, query }) => listErasures(caller, query),
  getInvoice: ({ caller, query, request }) => getInvoice(caller, query, request.headers["accept"]),
  recordUsageEvents: ({ caller, body }) => data(recordUsageEvents(caller, body)),
  createAdmission: ({ caller, body, request }) =>
    data(
      Effect.gen(function* () {
        const asked = yield* admissionAsked(body, request)
        const account_id = yield* accountForKey(caller, asked.api_key_hash)
        const { admission } = yield* admit(account_id, asked, request, caller.is_operator)
        return admission
      })
    ),
  renewAdmission: ({ caller, params, body }) =>
    data(
      Effect.flatMap(actingOnAdmission(caller, params.id), ({ account_id }) =>
        renewAdmission(account_id, params.id, body)
      )
    ),
  settleAdmission: ({ caller, params, body }) =>
    data(Effect.flatMap(actingOnAdmission(caller, params.id), (acting) => settleAdmission(acting, params.id, body))),
  cancelAdmission: ({ caller, params }) =>
    data(
      Effect.flatMap(actingOnAdmission(caller, params.id), ({ account_id }) => cancelAdmission(account_id, params.id))
    ),
  createAlertChannel: ({ caller, body: { config, ...fields } }) =>
    shown(createAlertChannel(caller, Redacted.make(config), fields)),
  listAlertChannels: ({ caller, query }) => listAlertChannels(caller, query),
  getAlertChannel: ({ caller, params }) => data(getAlertChannel(caller, params.id)),
  updateAlertChannel: ({ caller, params, body: { config, ...fields } }) =>
    shown(updateAlertChannel(caller, params.id, config === undefined ? undefined : Redacted.make(config), fields)),
  deleteAlertChannel: ({ caller, params }) => deleteAlertChannel(caller, params.id),
  testAlertChannel: ({ caller, params }) => data(testAlertChannel(caller, params.id)),
  listAlerts: ({ caller, query }) => listAlerts(caller, query),
  listBudgetWarnings: ({ caller, query }) => listBudgetWarnings(caller, query),
  getAuditLog: ({ caller, query }) => getAuditLog(caller, query),
  createExplanation: ({ caller, body, request }) =>
    data(
      Effect.gen(function* () {
        const asked = yield* withKeyHash(body, request)
        return yield* answerExplanation(caller, yield* accountForKey(caller, asked.api_key_hash), asked, request)
      })
    ),
  createKey: ({ caller, body }) =>
    Effect.map(createKey(caller, body), ({ data, key }) => ({ data, key: Redacted.value(key) })),
  rotateKey: ({ caller, params, body }) =>
    Effect.map(rotateKey(caller, params.hash, body), (rotated) => ({ ...rotated, key: Redacted.value(rotated.key) })),
  getCredits: ({ caller }) => data(getCredits(caller)),
  getCurrentKey: ({ caller }) => data(getCurrentKey(caller)),
  listKeys: ({ caller, query }) => listKeys(caller, query),
  getKey: ({ caller, params }) => data(getKey(caller, params.hash)),
  updateKey: ({ caller, params, body }) => data(updateKey(caller, params.hash, body)),
  createManagementKey: ({ caller, body }) =>
    Effect.map(createManagementKey(caller, body), ({ data, key }) => ({ data, key: Redacted.value(key) })),
  listManagementKeys: ({ caller, query }) => listManagementKeys(caller, query),
  deleteManagementKey: ({ caller, params }) => deleteManagementKey(caller, params.hash),
  deleteKey: ({ caller, params }) => deleteKey(caller, params.hash),
  getKeyRateLimits: ({ caller, params }) => data(getKeyRateLimits(caller, params.hash)),
  putKeyRateLimits: ({ caller, params, body }) => data(putKeyRateLimits(caller, params.hash, body)),
  getOpenApi: () => openApi
}

let openApiBytes: Uint8Array | undefined
let openApiAnswer: PrintedAnswer<ReturnType<typeof openApiDocument>> | undefined
/** Printed at the first request, because the table never changes. */
const openApi = Effect.suspend(() => {
  if (openApiAnswer !== undefined) return Effect.succeed(openApiAnswer)
  openApiBytes ??= new TextEncoder().encode(JSON.stringify(openApiDocument()))
  return Effect.tap(withTag<ReturnType<typeof openApiDocument>>(openApiBytes), (answer) =>
    Effect.sync(() => (openApiAnswer = answer))
  )
})
