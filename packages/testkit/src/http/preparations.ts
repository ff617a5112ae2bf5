/** What the declared example of an operation needs to exist before it is sent, and the ids to send in place of its own. */
import {
  createDestination,
  createDirectoryGroup,
  createDirectoryUser,
  createPreset,
  getGenerationContent,
  type OperationId,
  putCatalog,
  recordUsageEvents
} from "@gatewarden/contract/internal"
import type { Call, World } from "@gatewarden/conformance/internal/World"
import { letDie, newUnreachable } from "@gatewarden/conformance/internal/delivery/letDie"
import { newChannel } from "@gatewarden/conformance/internal/alert/alertCases"
import { exchangeBody, goodToken, newPolicy } from "@gatewarden/conformance/internal/federation/federationCases"
import { erasedKeyAndUsage } from "@gatewarden/conformance/internal/erasure/erasing"
import { map, newGroup, newUser } from "@gatewarden/conformance/internal/directory/directoryStates"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"
import { logged, logging } from "@gatewarden/conformance/internal/prompt/loggedRequests"
import {
  activeEndpoint,
  bringKey as bringProviderKey,
  newEndpoint,
  newProvider,
  validate
} from "@gatewarden/conformance/internal/privateEndpoint/privateCases"
import { register } from "@gatewarden/conformance/internal/externalUser/register"
import { bringKey, newFile } from "@gatewarden/conformance/internal/file/fileCases"

type Preparation = (world: World) => Promise<Pick<Call, "params" | "query" | "body" | "key">>

const firstGuardrail: Preparation = async (world) => {
  const made = await world.call("createGuardrail", { body: { name: "First" } })
  return { params: { id: made.json.data.id } }
}

const firstCredential: Preparation = async (world) => {
  const made = await world.call("createByokCredential", { body: { key: "sk-example", provider: "openai" } })
  return { params: { id: made.json.data.id } }
}

const exampleDestination: Preparation = async (world) => {
  const made = await world.call("createDestination", { body: createDestination.example.body })
  return { params: { id: made.json.data.id } }
}

const unreachable: Preparation = async (world) => ({ params: { id: await newUnreachable(world) } })

const deadLetter: Preparation = async (world) => {
  const id = await newUnreachable(world)
  await letDie(world, id, ["gen-01"])
  return { params: { id } }
}
const exampleChannel: Preparation = async (world) => ({ params: { id: (await newChannel(world)).data.id } })

const examplePolicy: Preparation = async (world) => ({ params: { id: (await newPolicy(world)).id } })

const normalKey: Preparation = async (world) => ({ params: { hash: world.normalKeyHash } })

const firstGuardrailAndKey: Preparation = async (world) => ({
  ...(await firstGuardrail(world)),
  body: { key_hashes: [world.normalKeyHash] }
})

const firstGuardrailAndMember: Preparation = async (world) => ({
  ...(await firstGuardrail(world)),
  body: { member_user_ids: ["user-1"] }
})

const researchWorkspace: Preparation = async (world) => {
  const made = await world.call("createWorkspace", { body: { name: "Research", slug: "research" } })
  return { params: { id: made.json.data.slug }, key: world.managementKey }
}

const sonnetRequest = async (world: World) => {
  await world.call("putCatalog", { body: putCatalog.example.body })
  return { api_key_hash: world.normalKeyHash, model: "acme/sonnet" }
}

const admission: Preparation = async (world) => ({
  params: { id: (await world.call("createAdmission", { body: await sonnetRequest(world) })).json.data.id }
})

const exampleModel: Preparation = async (world) => {
  await world.call("putCatalog", { body: putCatalog.example.body })
  return {}
}

const examplePreset: Preparation = async (world) => {
  await world.call("createPreset", { params: createPreset.example.params, body: createPreset.example.body })
  return {}
}

const exampleVersions: Preparation = async (world) => {
  const { params, body } = createPreset.example
  await world.call("createPreset", { params, body })
  await world.call("createPreset", { params, body: { ...body, temperature: 0.7 } })
  return {}
}

const exampleEvent: Preparation = async (world) => {
  await world.call("recordUsageEvents", { body: recordUsageEvents.example.body })
  return { key: world.managementKey }
}

/** The example's model with its fields changed. */
const exampleModelWith =
  (change: (model: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Preparation =>
  async (world) => {
    await world.call("putCatalog", { body: { models: putCatalog.example.body.models.map(change) } })
    return {}
  }

const exampleGiving = (output: string): Preparation =>
  exampleModelWith((model) => ({
    ...model,
    architecture: { input_modalities: ["text"], output_modalities: [output] }
  }))

const exampleForgetting = exampleModelWith((model) => ({
  ...model,
  endpoints: (model["endpoints"] as readonly object[]).map((endpoint) => ({ ...endpoint, zero_data_retention: true }))
}))

const researchBudget: Preparation = async (world) => {
  const prepared = await researchWorkspace(world)
  const params = { ...prepared.params, interval: "monthly" }
  await world.call("putWorkspaceBudget", { params, body: { limit_usd: 500 } })
  return { ...prepared, params }
}

const directoryUser: Preparation = async (world) => ({
  params: { id: (await newUser(world, createDirectoryUser.example.body)).id }
})

const directoryGroup: Preparation = async (world) => ({
  params: { id: (await newGroup(world, [], createDirectoryGroup.example.body)).id }
})

const groupMapping: Preparation = async (world) => ({ params: { id: (await map(world, await newGroup(world))).id } })

const draft: Preparation = async (world) => ({ params: { id: (await newEndpoint(world)).id } })

const drafted =
  (
    body: (world: World) => unknown,
    ...more: readonly ((world: World, id: string) => Promise<unknown>)[]
  ): Preparation =>
  async (world) => {
    const { id } = await newEndpoint(world)
    for (const step of more) await step(world, id)
    const sent = body(world)
    return { params: { id }, ...(sent === undefined ? {} : { body: sent }) }
  }

const activated: Preparation = async (world) => ({ params: { id: (await activeEndpoint(world)).id } })

const disabled: Preparation = async (world) => {
  const prepared = await activated(world)
  await world.call("disablePrivateEndpoint", { params: prepared.params ?? {} })
  return prepared
}

const privateProvider: Preparation = async (world) => ({ params: { slug: (await newProvider(world)).slug } })

const externalUser: Preparation = async (world) => ({
  params: { user: (await register(world, `customer of ${world.account_id}`)).json.data.user }
})

/** An operation that is not named here needs nothing. */
export const preparations: { readonly [Id in OperationId]?: Preparation } = {
  exchangeAuthorizationCode: async (world) => {
    const made = await world.call("createAuthorizationCode", {
      body: {
        callback_url: "https://app.example.com/callback",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256"
      }
    })
    return {
      body: {
        code: made.json.data.id,
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        code_challenge_method: "S256"
      }
    }
  },
  exchangeToken: async (world) => ({ body: exchangeBody((await newPolicy(world)).id, goodToken(world)) }),
  getFederationPolicy: examplePolicy,
  updateFederationPolicy: examplePolicy,
  deleteFederationPolicy: examplePolicy,
  getAlertChannel: exampleChannel,
  updateAlertChannel: exampleChannel,
  deleteAlertChannel: exampleChannel,
  testAlertChannel: exampleChannel,
  getDestination: exampleDestination,
  updateDestination: exampleDestination,
  deleteDestination: exampleDestination,
  testDestination: unreachable,
  listDeliveries: deadLetter,
  listDeadLetters: deadLetter,
  replayDeadLetters: deadLetter,
  getGuardrail: firstGuardrail,
  updateGuardrail: firstGuardrail,
  deleteManagementKey: async (world) => {
    const made = await world.call("createManagementKey", { body: { name: "second" } })
    return { params: { hash: made.json.data.hash } }
  },
  getCurrentKey: async (world) => {
    const made = await world.call("createKey", { body: { name: "limited", limit: 25 } })
    return { key: made.json.key }
  },
  getKey: normalKey,
  updateKey: normalKey,
  rotateKey: normalKey,
  deleteKey: normalKey,
  putKeyRateLimits: normalKey,
  getKeyRateLimits: normalKey,
  deleteGuardrail: firstGuardrail,
  assignKeys: firstGuardrailAndKey,
  unassignKeys: firstGuardrailAndKey,
  listGuardrailKeyAssignments: firstGuardrail,
  assignMembers: firstGuardrailAndMember,
  unassignMembers: firstGuardrailAndMember,
  listGuardrailMemberAssignments: firstGuardrail,
  getDirectoryUser: directoryUser,
  putDirectoryUser: directoryUser,
  patchDirectoryUser: directoryUser,
  deleteDirectoryUser: directoryUser,
  getDirectoryGroup: directoryGroup,
  putDirectoryGroup: directoryGroup,
  patchDirectoryGroup: directoryGroup,
  deleteDirectoryGroup: directoryGroup,
  createGroupMapping: async (world) => ({
    body: { scim_group_id: (await newGroup(world)).id, workspace_id: world.workspace_id, role: "member" }
  }),
  getErasure: async (world) => ({ params: { id: await erasedKeyAndUsage(world) } }),
  getSyncJob: async (world) => ({ params: { id: (await world.call("createSyncJob")).json.data.id } }),
  getGroupMapping: groupMapping,
  updateGroupMapping: groupMapping,
  deleteGroupMapping: groupMapping,
  getAuditLog: async (world) => {
    await firstGuardrail(world)
    return {}
  },
  getWorkspace: researchWorkspace,
  deleteWorkspace: researchWorkspace,
  updateWorkspace: researchWorkspace,
  listWorkspaceBudgets: researchBudget,
  getWorkspaceBudget: researchBudget,
  putWorkspaceBudget: researchBudget,
  deleteWorkspaceBudget: researchBudget,
  listWorkspaceMembers: researchWorkspace,
  addWorkspaceMembers: researchWorkspace,
  removeWorkspaceMembers: researchWorkspace,
  getByokCredential: firstCredential,
  updateByokCredential: firstCredential,
  deleteByokCredential: firstCredential,
  deleteFile: async (world) => ({ params: { file_id: await newFile(world) } }),
  uploadFile: async () => ({ body: formOf("handbook.pdf", "%PDF-1.7") }),
  getFile: async (world) => ({ params: { file_id: await newFile(world) } }),
  getFileContent: async (world) => {
    await bringKey(world, "making")
    return { params: { file_id: "file-made" } }
  },
  createAdmission: async (world) => ({ body: { ...(await sonnetRequest(world)), max_completion_tokens: 1000 } }),
  renewAdmission: admission,
  settleAdmission: admission,
  cancelAdmission: admission,
  createExplanation: async (world) => ({ body: await sonnetRequest(world) }),
  getPreset: examplePreset,
  listPresets: examplePreset,
  listPresetVersions: examplePreset,
  getPresetVersion: examplePreset,
  putDesignatedVersion: exampleVersions,
  restorePresetVersion: examplePreset,
  comparePresetVersions: exampleVersions,
  exportUsageEvents: exampleEvent,
  getInvoice: exampleEvent,
  getGeneration: exampleEvent,
  getGenerationContent: async (world) => {
    await logging(world)
    await logged(world, { id: getGenerationContent.example.query.id })
    return {}
  },
  submitGenerationFeedback: exampleEvent,
  listModels: exampleModel,
  countModels: exampleModel,
  listUserModels: exampleModel,
  getModel: exampleModel,
  listEmbeddingModels: exampleGiving("embeddings"),
  listImageModels: exampleGiving("image"),
  listImageModelEndpoints: exampleGiving("image"),
  listVideoModels: exampleGiving("video"),
  listProviders: exampleModel,
  listExternalUsers: externalUser,
  getExternalUser: externalUser,
  updateExternalUser: externalUser,
  deleteExternalUser: externalUser,
  createPrivateEndpoint: exampleModel,
  listPrivateEndpoints: draft,
  getPrivateEndpoint: draft,
  updatePrivateEndpoint: draft,
  updatePrivateEndpointPricing: draft,
  deletePrivateEndpoint: draft,
  validatePrivateEndpoint: drafted(
    ({ workspace_id }) => ({ workspace_id }),
    (world) => bringProviderKey(world)
  ),
  activatePrivateEndpoint: drafted(
    () => undefined,
    (world) => bringProviderKey(world),
    validate
  ),
  disablePrivateEndpoint: activated,
  enablePrivateEndpoint: disabled,
  getPrivateProvider: privateProvider,
  updatePrivateProvider: privateProvider,
  deletePrivateProvider: privateProvider,
  listZdrEndpoints: exampleForgetting,
  listEndpoints: exampleModel
}
