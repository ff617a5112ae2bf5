/** The calls of the public Terraform provider, over HTTP, through the life of each resource: a second plan has no difference. */
import { putCatalog, scimUrns } from "@gatewarden/contract/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { type Life, lives, type Surroundings } from "@gatewarden/testkit/terraform/lives"
import { missingCalls } from "@gatewarden/testkit/terraform/operationOf"
import type { ProviderResource } from "@gatewarden/testkit/terraform/ProviderResource"
import { provider, providerResources, type ResourceName } from "@gatewarden/testkit/terraform/providerResources"
import {
  makeTerraformProvider,
  readable,
  type Reply,
  type TerraformProvider,
  type Values
} from "@gatewarden/testkit/terraform/terraformProvider"

let server: ServerProcess
let around: Surroundings

const send = async (method: string, path: string, body?: unknown, type = "application/json"): Promise<Reply> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${managementKey}`,
      "user-agent": `speakeasy-sdk/terraform ${provider.version} 2.918.4 1.0.0 github.com/${provider.repository}/internal/sdk`,
      ...(body === undefined ? {} : { "content-type": type })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  // The provider refuses an answer of another type, also for errors.
  assert.match(response.headers.get("content-type") ?? "", /^application\/(?:scim\+)?json/)
  return { status: response.status, json: await response.json() }
}

const resourceNamed = (name: ResourceName): ProviderResource => providerResources[name]
const providerOf = (name: ResourceName): TerraformProvider => makeTerraformProvider(resourceNamed(name), send)

beforeAll(async () => {
  server = await startServerProcess()
  const made = async (name: ResourceName, plan: Values) => providerOf(name).create(plan)
  const provision = async (path: string, body: unknown): Promise<string> =>
    (await send("POST", `/scim/v2${path}`, body, "application/scim+json")).json.id
  const catalog = await send("PUT", "/gateway/catalog", putCatalog.example.body)
  assert.strictEqual(catalog.status, 200)
  const workspace = await made("openrouter_workspace", { name: "Research", slug: "research" })
  const workspace_id = String(workspace["id"])
  const keys = await Promise.all(
    ["one", "other"].map((name) => made("openrouter_api_key", { name, workspace_id, creator_user_id: "ann" }))
  )
  const [keyHash = "", otherKeyHash = ""] = keys.map(({ hash }) => String(hash))
  const guardrail = await made("openrouter_guardrail", { name: "Cap", workspace_id })
  await made("openrouter_workspace_member", { workspace_id, user_id: "ann" })
  const user = await provision("/Users", { schemas: [scimUrns.user], userName: "cleo@example.com" })
  around = {
    workspaceId: workspace_id,
    workspaceSlug: "research",
    keyHash,
    otherKeyHash,
    guardrailId: String(guardrail["id"]),
    member: "ann",
    stranger: "dan",
    groupId: await provision("/Groups", { displayName: "Research", members: [{ value: user }] })
  }
})

afterAll(() => server?.stop())

const live = async (name: ResourceName, { given, changes = [] }: Life): Promise<void> => {
  const resource = resourceNamed(name)
  const it = makeTerraformProvider(resource, send)
  /** Reads, as each plan does: what was applied is there, and what the answer to the write said. */
  const planned = async (plan: Values, state: Values): Promise<Values> => {
    const found = await it.read(state)
    if (found === undefined) return assert.fail("gone")
    assert.deepEqual(it.differences(plan, found), [], "a second plan")
    assert.deepEqual(readable(resource, found), readable(resource, { ...state, ...refreshed(plan, found) }))
    return found
  }
  let plan = given
  let state = await planned(plan, await it.create(plan))
  for (const change of changes) {
    plan = { ...plan, ...change }
    assert.isNotEmpty(
      Object.keys(change).filter((attribute) => state[attribute] !== change[attribute]),
      "a change"
    )
    state = await planned(plan, await it.update(state, plan))
  }
  if (resource.importedBy.length > 0) {
    const imported = await it.import(state)
    if (imported === undefined) return assert.fail("not imported")
    assert.deepEqual(readable(resource, imported), readable(resource, state))
  }
  await it.destroy(state)
  if (resource.destroy.length > 0) assert.isUndefined(await it.read(state))
  await it.destroy(state)
}

/** Planned values as the server has them: it may fill what the plan leaves open inside an object. */
const refreshed = (plan: Values, found: Values): Values =>
  Object.fromEntries(Object.keys(plan).map((name) => [name, found[name]]))

const names = Object.keys(providerResources) as readonly ResourceName[]

/** Attributes that a configuration sets. */
const settable = ({ attributes }: ProviderResource): readonly string[] =>
  Object.entries(attributes).flatMap(([name, { given }]) => (given === "computed" ? [] : [name]))

/** Validates the endpoint with a call to it. */
const notLived = "activate"

describe("the Terraform provider", () => {
  it("has 14 resources", () => assert.strictEqual(names.length, 14))

  for (const name of names) {
    const resource = resourceNamed(name)
    const missing = missingCalls(resource)

    it(`${name}: lives set every attribute, and change every one that can change`, () => {
      const all = lives[name](around)
      const keysOf = (values: readonly Values[]) => [...new Set(values.flatMap(Object.keys))]
      const own = settable(resource)
      assert.sameMembers(
        keysOf(all.flatMap(({ given, changes = [] }) => [given, ...changes])),
        own.filter((attribute) => attribute !== notLived)
      )
      const sent = new Set(resource.update.flatMap(({ sends = [] }) => sends))
      assert.sameMembers(
        keysOf(all.flatMap(({ changes = [] }) => changes)),
        own.filter((attribute) => sent.has(attribute))
      )
    })

    if (missing.length > 0)
      it(`${name}: the server lacks ${missing.join(", ")}`, async () => {
        for (const call of missing) {
          const [method = "", path = ""] = call.split(" ")
          assert.strictEqual((await send(method, path.replaceAll(/[{}]/g, ""))).status, 404)
        }
      })
    else
      it(`${name}: create, read, update, import, destroy`, async () => {
        for (const life of lives[name](around))
          await live(name, life).catch((error: unknown) => {
            throw new Error(`${name}, ${life.name}: ${String(error)}`, { cause: error })
          })
      })
  }

  it("applies a configuration of one workspace, plans it again, and destroys it from its end", async () => {
    const applied: (readonly [TerraformProvider, Values, Values])[] = []
    const apply = async (name: ResourceName, plan: Values): Promise<Values> => {
      const it = providerOf(name)
      const state = await it.create(plan)
      applied.push([it, plan, state])
      return state
    }
    const { id: workspace_id } = await apply("openrouter_workspace", { name: "Graph", slug: "graph" })
    await apply("openrouter_workspace_default_guardrail", { workspace_id, limit_usd: 500, reset_interval: "monthly" })
    await apply("openrouter_workspace_budget", { workspace_ref: workspace_id, interval: "daily", limit_usd: 10 })
    await apply("openrouter_workspace_member", { workspace_id, user_id: "eve" })
    await apply("openrouter_byok_key", { provider_slug: "openai", key: "sk-proj-0123456789abcdefghij", workspace_id })
    const { id: guardrail_id } = await apply("openrouter_guardrail", { name: "Cap", workspace_id })
    await apply("openrouter_guardrail_member_assignment", { workspace_id, guardrail_id, user_id: "eve" })
    // Terraform applies ten things at once.
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const { hash } = await apply("openrouter_api_key", { name: `key ${index}`, workspace_id, limit: 0 })
        await apply("openrouter_guardrail_key_assignment", { guardrail_id, key_hash: hash })
      })
    )
    for (const [it, plan, state] of applied) {
      const found = await it.read(state)
      assert.isDefined(found)
      assert.deepEqual(it.differences(plan, found ?? {}), [])
    }
    for (const [it, , state] of applied.toReversed()) await it.destroy(state)
    for (const [it, , state] of applied) assert.isUndefined(await it.read(state))
  })

  it("finds what was deleted or moved behind it, and creates it again", async () => {
    const { workspaceId: workspace_id, guardrailId: guardrail_id, keyHash: key_hash } = around
    const it = providerOf("openrouter_guardrail_key_assignment")
    const plan = { guardrail_id, key_hash }
    const state = await it.create(plan)
    // A key that has the guardrail already counts as one.
    await it.create(plan)
    const guardrails = providerOf("openrouter_guardrail")
    const other = await guardrails.create({ name: "Other", workspace_id })
    const moved = await it.create({ guardrail_id: other["id"], key_hash })
    assert.isUndefined(await it.read(state))
    // The other guardrail keeps the key.
    await it.destroy(state)
    assert.isDefined(await it.read(moved))
    await guardrails.destroy(other)
    assert.isUndefined(await it.read(moved))
    await it.destroy(moved)
    const keys = providerOf("openrouter_api_key")
    const key = await keys.create({ name: "short", workspace_id })
    const assigned = await it.create({ guardrail_id, key_hash: key["hash"] })
    await keys.destroy(key)
    assert.isUndefined(await it.read(assigned))
    await it.destroy(assigned)
  })

  it("cannot update a guardrail whose limit never resets, as it sends no null", async () => {
    const guardrails = providerOf("openrouter_guardrail")
    const made = await send("POST", "/guardrails", { name: "Cap", limit_usd: 5, reset_interval: null })
    const { id, limit_usd } = made.json.data
    const { status, json } = await send("PATCH", `/guardrails/${id}`, { name: "Limits", limit_usd })
    assert.deepInclude({ status, reason: json.error.metadata.reason }, { status: 400, reason: "limit_reset_pair" })
    const state = await guardrails.import({ id })
    assert.deepInclude(state, { name: "Cap", limit_usd: 5, reset_interval: null })
    await guardrails.destroy(state ?? {})
  })

  it("cannot destroy a group mapping before it says what becomes of the members", async () => {
    const mappings = providerOf("openrouter_scim_group_mapping")
    const { groupId: scim_group_id, workspaceId: workspace_id } = around
    const state = await mappings.create({ scim_group_id, workspace_id, role: "member" })
    assert.strictEqual((await send("DELETE", `/scim/group-mappings/${String(state["id"])}`)).status, 400)
    assert.isDefined(await mappings.read(state))
    await mappings.destroy({ ...state, keep_members_enum: "false" })
  })

  it("imports a workspace by its slug, and a default guardrail that was never written", async () => {
    const workspaces = providerOf("openrouter_workspace")
    const workspace = await workspaces.create({ name: "Fresh", slug: "fresh" })
    assert.deepInclude(await workspaces.import({ id: "fresh" }), { id: workspace["id"], name: "Fresh" })
    const it = providerOf("openrouter_workspace_default_guardrail")
    assert.deepInclude(await it.import({ workspace_id: workspace["id"] }), {
      id: workspace["default_guardrail_id"],
      limit_usd: null
    })
    await workspaces.destroy(workspace)
    assert.isUndefined(await it.import({ workspace_id: workspace["id"] }))
  })
})
