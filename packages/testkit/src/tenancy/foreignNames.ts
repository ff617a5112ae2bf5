/**
 * Where requests name things of an account besides their paths: in the query and in the body.
 *
 * `tenancyMatrix` sends the names of another account there. A test compares the table with the contract, so a new field needs a row.
 */
import {
  createAlertChannel,
  createDestination,
  createFederationPolicy,
  createPrivateEndpoint,
  submitGenerationFeedback,
  type OperationId
} from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Call, World } from "@gatewarden/conformance/internal/World"
import { letDie, newUnreachable } from "@gatewarden/conformance/internal/delivery/letDie"
import { newGroup } from "@gatewarden/conformance/internal/directory/directoryStates"
import { content, logged, logging } from "@gatewarden/conformance/internal/prompt/loggedRequests"
import { preparations } from "../http/preparations.ts"

/** What a field names. */
export type Named = "workspace" | "key" | "account" | "generation" | "prompt" | "dead letter" | "group"

/** The name of a thing that the world has. */
export const nameOf = async (named: Named, world: World): Promise<string> => {
  switch (named) {
    case "workspace":
      return world.workspace_id
    case "key":
      return world.normalKeyHash
    case "account":
      return world.account_id
    case "group":
      return (await newGroup(world)).id
    case "prompt": {
      const id = `prompt-of-${world.account_id}`
      await logging(world)
      await logged(world, { id })
      assert.strictEqual((await content(world, id)).status, 200)
      return id
    }
    case "dead letter": {
      const id = `dead-of-${world.account_id}`
      await letDie(world, await newUnreachable(world), [id])
      return id
    }
    case "generation": {
      const id = `gen-of-${world.account_id}`
      const recorded = await world.call("recordUsageEvents", event({ id }))
      assert.strictEqual(recorded.status, 200, recorded.text)
      return id
    }
  }
}

/** Names that nothing has. */
export const nobodysName: Readonly<Record<Named, string>> = {
  workspace: "5f0c1d4e-7a2b-4c3d-8e9f-0a1b2c3d4e5f",
  key: "5f0c1d4e7a2b4c3d8e9f0a1b2c3d4e5f5f0c1d4e7a2b4c3d8e9f0a1b2c3d4e5f",
  account: "6a0c1d4e-7a2b-4c3d-8e9f-0a1b2c3d4e5f",
  generation: "gen-that-never-was",
  prompt: "prompt-that-never-was",
  "dead letter": "event-that-never-died",
  group: "7b0c1d4e-7a2b-4c3d-8e9f-0a1b2c3d4e5f"
}

export interface ForeignField {
  readonly operation: OperationId
  /** As the contract names it: `query.workspace_id`, `allowed_api_key_hashes`. */
  readonly field: string
  readonly named: Named
  /** The request with the name in that field. */
  readonly call: (name: string, world: World) => Call | Promise<Call>
}

const usageOf = { created_at: "2026-03-04T11:00:00.000Z", model: "acme/sonnet", provider: "acme", cost_usd: 0.1 }
const tokens = { prompt_tokens: 1, completion_tokens: 1 }

const event = (fields: object): Call => ({ body: { events: [{ id: "gen-1", ...usageOf, ...tokens, ...fields }] } })

const ofSettlement =
  (field: string, form: (event: object) => object = (event) => ({ event })): ForeignField["call"] =>
  async (name, world) => ({
    ...(await preparations.settleAdmission?.(world)),
    body: form({ ...usageOf, ...tokens, [field]: name })
  })

const flat = (event: object): object => event

const presets = { slug: "support" }

/** Operations that read or change one workspace, which their query names. */
const inWorkspace: readonly (readonly [OperationId, Call])[] = [
  ["listDestinations", {}],
  ["listGuardrails", {}],
  ["listByokCredentials", {}],
  ["getUserActivity", {}],
  ["listKeys", {}],
  ["listBudgetWarnings", {}],
  ["listAlertChannels", {}],
  ["listAlerts", {}],
  ["listFederationPolicies", {}],
  ["listFiles", {}],
  ["uploadFile", {}],
  ["deleteFile", { params: { file_id: "file-1" } }],
  ["getFile", { params: { file_id: "file-1" } }],
  ["getFileContent", { params: { file_id: "file-1" } }],
  ["listPresets", {}],
  ["getPreset", { params: presets }],
  ["listPresetVersions", { params: presets }],
  ["getPresetVersion", { params: { ...presets, version: "1" } }],
  ["createPreset", { params: presets, body: { model: "acme/sonnet" } }],
  ["createPresetFromMessages", { params: presets, body: { model: "acme/sonnet" } }],
  ["createPresetFromResponses", { params: presets, body: { model: "acme/sonnet" } }],
  ["putDesignatedVersion", { params: presets, body: { version: 1 } }],
  ["restorePresetVersion", { params: { ...presets, version: "1" } }],
  ["comparePresetVersions", { params: { ...presets, version: "1" }, query: { with: "1" } }]
]

export const foreignFields: readonly ForeignField[] = [
  ...inWorkspace.map(([operation, call]): ForeignField => ({
    operation,
    field: "query.workspace_id",
    named: "workspace",
    call: async (workspace_id, world) => ({
      ...call,
      ...(operation === "uploadFile" ? await preparations.uploadFile?.(world) : {}),
      query: { ...(call.query as object), workspace_id },
      key: world.managementKey
    })
  })),
  {
    operation: "getUserActivity",
    field: "query.api_key_hash",
    named: "key",
    call: (name) => ({ query: { api_key_hash: name } })
  },
  {
    operation: "getGeneration",
    field: "query.id",
    named: "generation",
    call: (id, world) => ({ query: { id }, key: world.managementKey })
  },
  {
    operation: "getGenerationContent",
    field: "query.id",
    named: "prompt",
    call: (id, world) => ({ query: { id }, key: world.managementKey })
  },
  {
    operation: "submitGenerationFeedback",
    field: "generation_id",
    named: "generation",
    call: (generation_id) => ({ body: { ...submitGenerationFeedback.example.body, generation_id } })
  },
  {
    operation: "createPrivateEndpoint",
    field: "activate.workspace_id",
    named: "workspace",
    call: async (name, world) => {
      await preparations.createPrivateEndpoint?.(world)
      return { body: { ...createPrivateEndpoint.example.body, activate: { workspace_id: name } } }
    }
  },
  {
    operation: "validatePrivateEndpoint",
    field: "workspace_id",
    named: "workspace",
    call: async (name, world) => ({
      ...(await preparations.validatePrivateEndpoint?.(world)),
      body: { workspace_id: name }
    })
  },
  {
    operation: "createGroupMapping",
    field: "scim_group_id",
    named: "group",
    call: (name, world) => ({ body: { scim_group_id: name, workspace_id: world.workspace_id, role: "member" } })
  },
  {
    operation: "createGroupMapping",
    field: "workspace_id",
    named: "workspace",
    call: async (name, world) => ({
      body: { scim_group_id: (await newGroup(world)).id, workspace_id: name, role: "member" }
    })
  },
  {
    operation: "createKey",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { name: "k", workspace_id: name } })
  },
  {
    operation: "createGuardrail",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { name: "g", workspace_id: name } })
  },
  {
    operation: "assignKeys",
    field: "key_hashes",
    named: "key",
    call: async (name, world) => ({ ...(await preparations.getGuardrail?.(world)), body: { key_hashes: [name] } })
  },
  {
    operation: "unassignKeys",
    field: "key_hashes",
    named: "key",
    call: async (name, world) => ({ ...(await preparations.getGuardrail?.(world)), body: { key_hashes: [name] } })
  },
  {
    operation: "exportUsageEvents",
    field: "query.workspace_id",
    named: "workspace",
    call: (workspace_id) => ({ query: { workspace_id } })
  },
  {
    operation: "exportUsageEvents",
    field: "query.api_key_hash",
    named: "key",
    call: (api_key_hash) => ({ query: { api_key_hash } })
  },
  {
    operation: "createManagementKey",
    field: "restrictions.workspace_ids",
    named: "workspace",
    call: (id) => ({ body: { name: "k", restrictions: { workspace_ids: [id] } } })
  },
  {
    operation: "createAdmission",
    field: "api_key_hash",
    named: "key",
    call: (name) => ({ body: { api_key_hash: name, model: "acme/sonnet" } })
  },
  {
    operation: "createExplanation",
    field: "api_key_hash",
    named: "key",
    call: (name) => ({ body: { api_key_hash: name, model: "acme/sonnet" } })
  },
  { operation: "settleAdmission", field: "workspace_id", named: "workspace", call: ofSettlement("workspace_id", flat) },
  { operation: "settleAdmission", field: "api_key_hash", named: "key", call: ofSettlement("api_key_hash", flat) },
  { operation: "settleAdmission", field: "event.workspace_id", named: "workspace", call: ofSettlement("workspace_id") },
  { operation: "settleAdmission", field: "event.api_key_hash", named: "key", call: ofSettlement("api_key_hash") },
  {
    operation: "recordUsageEvents",
    field: "events.[].workspace_id",
    named: "workspace",
    call: (name) => event({ workspace_id: name })
  },
  {
    operation: "recordUsageEvents",
    field: "events.[].api_key_hash",
    named: "key",
    call: (name) => event({ api_key_hash: name })
  },
  {
    operation: "recordUsageEvents",
    field: "events.[].account_id",
    named: "account",
    call: (name) => event({ account_id: name })
  },
  {
    operation: "createByokCredential",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { provider: "openai", key: "sk-one", workspace_id: name } })
  },
  {
    operation: "createByokCredential",
    field: "allowed_api_key_hashes",
    named: "key",
    call: (name) => ({ body: { provider: "openai", key: "sk-one", allowed_api_key_hashes: [name] } })
  },
  {
    operation: "updateByokCredential",
    field: "allowed_api_key_hashes",
    named: "key",
    call: async (name, world) => ({
      ...(await preparations.getByokCredential?.(world)),
      body: { allowed_api_key_hashes: [name] }
    })
  },
  {
    operation: "createDestination",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { ...createDestination.example.body, workspace_id: name } })
  },
  {
    operation: "createDestination",
    field: "api_key_hashes",
    named: "key",
    call: (name) => ({ body: { ...createDestination.example.body, api_key_hashes: [name] } })
  },
  {
    operation: "updateDestination",
    field: "api_key_hashes",
    named: "key",
    call: async (name, world) => ({ ...(await preparations.getDestination?.(world)), body: { api_key_hashes: [name] } })
  },
  {
    operation: "replayDeadLetters",
    field: "event_ids",
    named: "dead letter",
    call: async (name, world) => ({
      ...(await preparations.replayDeadLetters?.(world)),
      body: { event_ids: [name] }
    })
  },
  {
    operation: "createAuthorizationCode",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { callback_url: "https://app.example.com/callback", workspace_id: name } })
  },
  {
    operation: "createAlertChannel",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { ...createAlertChannel.example.body, workspace_id: name } })
  },
  {
    operation: "createFederationPolicy",
    field: "workspace_id",
    named: "workspace",
    call: (name) => ({ body: { ...createFederationPolicy.example.body, workspace_id: name } })
  }
]

/** Fields whose names end like those of things, and which name nothing of an account. */
export const namesNothing: ReadonlySet<string> = new Set([
  "upstream_model_id",
  "models.[].id",
  "events.[].id",
  "session_id",
  "event.session_id",
  "events.[].session_id",
  // Recorded as it is sent, and compared with what was recorded.
  "guardrail_id",
  "event.guardrail_id",
  "events.[].guardrail_id",
  "query.guardrail_id",
  "trace.trace_id",
  "trace.parent_span_id",
  "models.[].listing.hugging_face_id",
  "classifier_dimensions.classifier_id",
  "classifier_filters.classifier_id",
  "classifier_dimensions.[].classifier_id",
  "classifier_filters.[].classifier_id",
  "query.after_id",
  "query.before_id",
  // Users are names that the account gives; the same name in two accounts is two users.
  "query.session_id",
  "query.user_id",
  "event.user_id",
  "events.[].user_id",
  "creator_user_id",
  "user_id",
  "user_ids",
  "member_user_ids",
  "allowed_user_ids",
  // Whoever has a token for it names it: it is no name within an account.
  "federation_policy_id",
  // A number that the account chooses among its own keys.
  "io_logging_api_key_ids"
])
