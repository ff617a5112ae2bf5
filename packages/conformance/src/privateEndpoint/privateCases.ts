/** What the cases of private endpoints and private providers share. */
import { createPrivateEndpoint, createPrivateProvider, type OperationId } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, managementOnly, storeGone } from "../http/Case.ts"
import { absentCases, nobody } from "../http/nounCases.ts"
import { list, model, newAuthor } from "../model/catalog.ts"
import type { Answer, World } from "../World.ts"

export const providerBody = createPrivateProvider.example.body

/** A model that no other noun's cases have: what a catalog has renames the usage of all accounts. */
const author = "author-of-own-models"
export const ownModel = { slug: `${author}/sonnet`, permaslug: `${author}/sonnet-2026-01-01`, name: "Own: Sonnet" }
export const endpointBody = { ...createPrivateEndpoint.example.body, model_permaslug: ownModel.permaslug }

export const newProvider = async (world: World, fields: object = {}): Promise<Answer["json"]["data"]> => {
  const made = await world.call("createPrivateProvider", { body: { ...providerBody, ...fields } })
  assert.include([200, 201], made.status, made.text)
  return made.json.data
}

export const listOwnModel = (world: World) =>
  list(world, model(ownModel.slug, { canonical_slug: ownModel.permaslug, name: ownModel.name }))

/** A draft. */
export const newEndpoint = async (world: World, fields: object = {}): Promise<Answer["json"]["data"]> => {
  await listOwnModel(world)
  const made = await world.call("createPrivateEndpoint", { body: { ...endpointBody, ...fields } })
  assert.include([200, 201], made.status, made.text)
  return made.json.data
}

/** A credential for the provider of the example. */
export const bringKey = async (world: World, provider = endpointBody.provider_slug): Promise<string> => {
  const made = await world.call("createByokCredential", { body: { provider, key: "sk-deployment-0123456789" } })
  assert.include([200, 201], made.status, made.text)
  return made.json.data.id
}

export const validate = (world: World, id: string, workspace_id = world.workspace_id) =>
  world.call("validatePrivateEndpoint", { params: { id }, body: { workspace_id } })

/** An active endpoint of a model that no other case has. */
export const activeEndpoint = async (world: World, fields: object = {}, provider = endpointBody.provider_slug) => {
  const slug = `${newAuthor()}/m`
  await list(world, model(slug, { canonical_slug: `${slug}-1` }))
  await bringKey(world, provider)
  const body = {
    ...endpointBody,
    provider_slug: provider,
    model_permaslug: `${slug}-1`,
    ...fields,
    activate: { workspace_id: world.workspace_id }
  }
  const made = await world.call("createPrivateEndpoint", { body })
  assert.include([200, 201], made.status, made.text)
  assert.strictEqual(made.json.data.status, "active")
  return { slug, id: made.json.data.id as string }
}

export const by = (id: string) => ({ params: { id } })
export const read = (world: World, id: string) => world.call("getPrivateEndpoint", by(id))
export const act = (world: World, operation: OperationId, id: string) => world.call(operation, by(id))
export const statusOf = async (world: World, id: string) => (await read(world, id)).json.data.status

const absent = (operation: OperationId, body?: object): readonly Case[] =>
  absentCases(operation, async (world) => (await newEndpoint(world)).id, {
    body,
    kept: async (world, id) => (await read(world, id)).json
  })

/** What every operation on an endpoint has. */
export const usual = (operation: OperationId, body?: object): readonly Case[] => [
  ...absent(operation, body),
  ...managementOnly(operation, () => ({ ...by(nobody), ...(body === undefined ? {} : { body }) })),
  storeGone("PrivateEndpoints", 500, (world) =>
    world.call(operation, { ...by(nobody), ...(body === undefined ? {} : { body }) })
  )
]

/** The candidates of a request for the model. */
export const admitted = async (world: World, slug: string) => {
  const { json } = await world.call("createAdmission", {
    body: { api_key_hash: world.normalKeyHash, model: slug, max_completion_tokens: 10 }
  })
  return json.data.candidates as readonly { endpoint_tag: string; source: string; upstream?: object }[]
}

export const patch = (world: World, id: string, body: object) =>
  world.call("updatePrivateEndpoint", { ...by(id), body })

/** Gives a private provider another address. */
export const move = async (world: World, slug: string, base_url: string): Promise<void> => {
  const answer = await world.call("updatePrivateProvider", { params: { slug }, body: { base_url } })
  assert.strictEqual(answer.status, 200, answer.text)
}

/** An active endpoint whose private provider has moved since. */
export const movedEndpoint = async (world: World) => {
  const { slug: provider_slug } = await newProvider(world)
  await bringKey(world, provider_slug)
  const { id, slug } = await activeEndpoint(world, { provider_slug, base_url: undefined })
  await move(world, provider_slug, "https://other.example.com")
  assert.strictEqual(await statusOf(world, id), "draft")
  return { id, slug, moveBack: () => move(world, provider_slug, providerBody.base_url) }
}
