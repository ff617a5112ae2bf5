/** What the declared example of an operation needs to exist before it is sent, and the ids to send in place of its own. */
import { createDestination, createPreset, type OperationId, putCatalog, recordUsageEvents } from "@gatewarden/contract"
import type { Call, World } from "../World.ts"
import { formOf } from "../file/fileBytes.ts"
import { bringKey, newFile } from "../file/fileCases.ts"

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
  getDestination: exampleDestination,
  updateDestination: exampleDestination,
  deleteDestination: exampleDestination,
  getGuardrail: firstGuardrail,
  updateGuardrail: firstGuardrail,
  getKey: normalKey,
  updateKey: normalKey,
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
  getGeneration: exampleEvent,
  submitGenerationFeedback: exampleEvent,
  listModels: exampleModel,
  countModels: exampleModel,
  listUserModels: exampleModel,
  getModel: exampleModel,
  listEmbeddingModels: exampleGiving("embeddings"),
  listImageModels: exampleGiving("image"),
  listVideoModels: exampleGiving("video"),
  listProviders: exampleModel,
  listZdrEndpoints: exampleForgetting,
  listEndpoints: exampleModel
}
