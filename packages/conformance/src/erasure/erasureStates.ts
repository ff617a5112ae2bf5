/** What cases of erasures begin with: a person who is named everywhere, and what is in the way of erasing her. */
import { createFederationPolicy, createGuardrail } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { given } from "../usage/queryAnalytics/scene.ts"
import type { Answer, World } from "../World.ts"

export const made = async (world: World, id: Parameters<World["call"]>[0], call: Parameters<World["call"]>[1]) => {
  const answer = await world.call(id, call)
  assert.isBelow(answer.status, 300, answer.text)
  return answer
}

export const stateOf = async (world: World, id: string) =>
  (await made(world, "getErasure", { params: { id } })).json.data

/** Everything that is exported of a person. */
export const exported = async (world: World, query: Readonly<Record<string, string>>): Promise<string> =>
  (await world.call("exportPersonalData", { query })).text

/** Requests and costs by a field, the greatest first. */
export const sumsBy = async (world: World, field: string) =>
  (
    await made(world, "queryAnalytics", {
      body: {
        metrics: ["request_count", "total_usage"],
        dimensions: [field]
      }
    })
  ).json.data.data as readonly Readonly<Record<string, unknown>>[]

/** Usage of anna, of bert, and for a guest of the same name. */
export const use = (world: World) =>
  given(
    world,
    { id: "one", user_id: "anna", session_id: "s1", cost_usd: "0.5", trace: { by: "anna" } },
    { id: "two", user_id: "anna", session_id: "s1", cost_usd: "0.25" },
    { id: "three", user_id: "bert", session_id: "s2", cost_usd: "2", external_user: "anna", trace: { by: "bert" } }
  )

/** Something of every table of configuration that names anna, so that she may be erased. */
export const configure = async (world: World): Promise<void> => {
  const { workspace_id } = world
  const guardrail = (await made(world, "createGuardrail", { body: createGuardrail.example.body })).json.data
  const { key, data } = (
    await made(world, "createKey", { body: { name: "old", creator_user_id: "anna", workspace_id } })
  ).json
  await made(world, "createPreset", {
    key,
    params: { slug: "hers" },
    body: { model: "acme/sonnet", messages: [{ role: "user", content: "Hello" }] }
  })
  await made(world, "updateKey", { params: { hash: data.hash }, body: { disabled: true } })
  await made(world, "createFederationPolicy", {
    body: { ...createFederationPolicy.example.body, user_id: "anna", disabled: true }
  })
  await made(world, "createByokCredential", {
    body: { provider: "openai", key: "sk-secret-of-upstream", allowed_user_ids: ["anna", "carl"] }
  })
  await made(world, "assignMembers", { params: { id: guardrail.id }, body: { member_user_ids: ["anna"] } })
  await made(world, "createDirectoryUser", {
    body: { userName: "anna", externalId: "id of anna", displayName: "anna", active: false }
  })
}

/** Begins what is in the way, and answers how to end it. */
export const newKey = (fields: Readonly<Record<string, unknown>>) => async (world: World) => {
  const { data } = (
    await made(world, "createKey", { body: { name: "k", workspace_id: world.workspace_id, ...fields } })
  ).json
  return () => made(world, "deleteKey", { params: { hash: data.hash } })
}

export const member = async (world: World) => {
  const call = { params: { id: world.workspace_id }, body: { user_ids: ["anna"] } }
  await made(world, "addWorkspaceMembers", call)
  return () => made(world, "removeWorkspaceMembers", call)
}

export const activeUser = async (world: World) => {
  const { json } = await made(world, "createDirectoryUser", { body: { userName: "anna" } })
  return () =>
    made(world, "patchDirectoryUser", {
      params: { id: json.id },
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }]
      }
    })
}

export const policy = async (world: World) => {
  const body = { ...createFederationPolicy.example.body, user_id: "anna" }
  const { id } = (await made(world, "createFederationPolicy", { body })).json.data
  return () => made(world, "deleteFederationPolicy", { params: { id } })
}

export const restricted = async (world: World, call: (key: string) => Promise<Answer>): Promise<Answer> => {
  const { key } = (
    await made(world, "createManagementKey", { body: { name: "reader", restrictions: { access: "read" } } })
  ).json
  return call(key)
}
