/** What a key that is restricted to a workspace sees of usage, and which keys it gives a guardrail. Rule: access#restricted-keys. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import type { Answer, Call, World } from "../../World.ts"

interface Apart {
  /** Restricted to the second workspace. */
  readonly key: string
  readonly second: string
  /** The answer that created the key. */
  readonly made: Answer
}

/** An event of the day before. */
const eventOf = (world: World) => ({
  created_at: new Date(world.installation.clock.now - 86_400_000).toISOString(),
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd: "1"
})

/** Two workspaces: the world's own with the event `own`, and a second one with the event `theirs` and the restricted key. */
const apart = async (world: World): Promise<Apart> => {
  const second = (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id
  const made = await world.call("createManagementKey", {
    body: { name: "apart", restrictions: { workspace_ids: [second] } }
  })
  const event = eventOf(world)
  const recorded = await world.call("recordUsageEvents", {
    body: {
      events: [
        { ...event, id: "own", workspace_id: world.workspace_id, prompt_tokens: 100 },
        { ...event, id: "theirs", workspace_id: second }
      ]
    }
  })
  assert.strictEqual(recorded.status, 200, recorded.text)
  return { key: made.json.key, second, made }
}

/** The case of a key that was made, and of what it is answered then. */
const keyThat = (name: string, proves: (given: Apart, world: World) => Promise<void>): Case => ({
  name: `a key for one workspace ${name}`,
  status: 200,
  run: async (world) => {
    const given = await apart(world)
    await proves(given, world)
    return given.made
  }
})

const tokensOf = (answer: Answer, name: string): number =>
  answer.json.data.reduce((sum: number, row: Record<string, number>) => sum + (row[name] ?? 0), 0)

const monthOf = (world: World): string => new Date(world.installation.clock.now - 86_400_000).toISOString().slice(0, 7)

/** A key of the second workspace, and a guardrail there. */
const guarded = async (world: World, { key, second }: Apart) => ({
  hash: (await world.call("createKey", { body: { name: "theirs" }, key })).json.data.hash as string,
  id: (await world.call("createGuardrail", { body: { name: "g", workspace_id: second } })).json.data.id as string
})

export const reachCases: readonly Case[] = [
  keyThat("queries the analytics of that workspace, whatever it filters by", async ({ key, second }, world) => {
    const query = async (filters: unknown, by: string) =>
      (await world.call("queryAnalytics", { key: by, body: { metrics: ["tokens_prompt"], ...(filters as object) } }))
        .json.data.data
    const ofOther = { filters: { workspace: world.workspace_id } }
    assert.deepEqual(await query({}, world.managementKey), [{ tokens_prompt: 101 }])
    assert.deepEqual(await query({}, key), [{ tokens_prompt: 1 }])
    assert.deepEqual(await query({ filters: { workspace: second } }, key), [{ tokens_prompt: 1 }])
    assert.deepEqual(await query(ofOther, world.managementKey), [{ tokens_prompt: 100 }])
    assert.deepEqual(await query(ofOther, key), [{ tokens_prompt: 0 }])
  }),
  keyThat("sees the activity of that workspace", async ({ key }, world) => {
    const tokens = async (by: string, query: Record<string, string> = {}) =>
      tokensOf(await world.call("getUserActivity", { key: by, query }), "prompt_tokens")
    assert.deepEqual([await tokens(world.managementKey), await tokens(key)], [101, 1])
    assert.strictEqual(await tokens(key, { workspace_id: world.workspace_id }), 0)
  }),
  keyThat("sees the invoice of that workspace", async ({ key, second }, world) => {
    const { json } = await world.call("getInvoice", { key, query: { month: monthOf(world), by: "workspace" } })
    assert.deepEqual(
      json.data.rows.map(({ entity }: { entity: string }) => entity),
      [second]
    )
    assert.strictEqual(json.data.total.prompt_tokens, 1)
  }),
  keyThat("sees no name of what lies in another workspace", async ({ key, second }, world) => {
    const hashes = { own: world.normalKeyHash, theirs: "" }
    hashes.theirs = (await world.call("createKey", { body: { name: "theirs" }, key })).json.data.hash
    const events = Object.entries(hashes).map(([id, api_key_hash]) => ({
      ...eventOf(world),
      id: `${id} named`,
      api_key_hash,
      workspace_id: second
    }))
    const recorded = await world.call("recordUsageEvents", { body: { events } })
    assert.strictEqual(recorded.status, 200, recorded.text)
    const namesOf = async (by: string) => {
      const { json } = await world.call("getInvoice", { key: by, query: { month: monthOf(world), by: "key" } })
      const names = new Map(json.data.rows.map((row: Record<string, string>) => [row["entity"], row["name"]]))
      return [names.get(hashes.own), names.get(hashes.theirs)]
    }
    assert.deepEqual(await namesOf(key), [null, "theirs"])
    const [own, theirs] = await namesOf(world.managementKey)
    assert.strictEqual(theirs, "theirs")
    assert.isString(own)
  }),
  keyThat("exports the events of that workspace", async ({ key }, world) => {
    const idsOf = async (call: Call) =>
      (await world.call("exportUsageEvents", call)).text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).id)
    assert.sameMembers(await idsOf({}), ["own", "theirs"])
    assert.deepEqual(await idsOf({ key }), ["theirs"])
    assert.deepEqual(await idsOf({ key, query: { workspace_id: world.workspace_id } }), [])
  }),
  keyThat("finds and judges the generations of that workspace, and no other exists", async ({ key }, world) => {
    const statuses = async (id: string) => {
      const body = { generation_id: id, category: "other" }
      return [
        (await world.call("getGeneration", { key, query: { id } })).status,
        (await world.call("submitGenerationFeedback", { key, body })).status
      ]
    }
    assert.deepEqual(await statuses("theirs"), [200, 200])
    assert.deepEqual(await statuses("own"), [404, 404])
    const { json } = await world.call("getGeneration", { key: world.managementKey, query: { id: "own" } })
    assert.isNull(json.data.feedback)
  }),
  keyThat("lists that workspace", async ({ key, second }, world) => {
    const { json } = await world.call("listWorkspaces", { key })
    assert.deepEqual([json.total_count, json.data.map(({ id }: { id: string }) => id)], [1, [second]])
    assert.deepEqual((await world.call("listWorkspaces", { key, query: { offset: "1" } })).json.data, [])
  }),
  keyThat("gives its guardrail to the keys of that workspace alone", async (given, world) => {
    const { key } = given
    const { hash, id } = await guarded(world, given)
    const call = (operation: OperationId, hashes: readonly string[], by = key) =>
      world.call(operation, { key: by, params: { id }, body: { key_hashes: hashes } })
    const refused = await call("assignKeys", [hash, world.normalKeyHash])
    const unknown = await call("assignKeys", [hash, "0".repeat(64)])
    assert.deepEqual([refused.status, refused.json.error.message], [unknown.status, unknown.json.error.message])
    assert.deepEqual(
      [refused.json.error.metadata.reason, refused.json.error.metadata.issues],
      ["unknown_api_key_hash", unknown.json.error.metadata.issues]
    )
    const listed = async () => (await world.call("listGuardrailKeyAssignments", { params: { id } })).json.total_count
    assert.strictEqual(await listed(), 0)
    assert.strictEqual((await call("assignKeys", [hash])).status, 200)
    await call("assignKeys", [world.normalKeyHash], world.managementKey)
    assert.deepEqual((await call("unassignKeys", [hash, world.normalKeyHash])).json, { unassigned_count: 1 })
    assert.strictEqual(await listed(), 1)
  }),
  keyThat("sees who has its guardrail in that workspace alone", async (given, world) => {
    const { key, second } = given
    const { hash, id } = await guarded(world, given)
    const params = { id }
    const another = (await world.call("createKey", { body: { name: "another" }, key })).json.data.hash
    await world.call("createKey", { body: { name: "of bob", creator_user_id: "bob", workspace_id: second } })
    await world.call("addWorkspaceMembers", { params: { id: second }, body: { user_ids: ["ann"] } })
    // What the key does not see lies before, between and behind what it sees.
    const foreign = await Promise.all(
      [1, 2, 3].map(async (n) => (await world.call("createKey", { body: { name: `${n}` } })).json.data.hash)
    )
    for (const each of [foreign[0], hash, foreign[1], another, foreign[2]]) {
      world.installation.clock.now += 1000
      await world.call("assignKeys", { params, body: { key_hashes: [each] } })
    }
    for (const user of ["user-1", "ann", "bob"]) {
      world.installation.clock.now += 1000
      const answer = await world.call("assignMembers", { params, body: { member_user_ids: [user] } })
      assert.strictEqual(answer.status, 200, answer.text)
    }
    const page = async (list: OperationId, by: string, offset = 0, limit = 100) => {
      const query = { offset: `${offset}`, limit: `${limit}` }
      const { data, total_count } = (await world.call(list, { key: by, params, query })).json
      const names = data.map(({ key_hash, user_id }: Record<string, string>) => key_hash ?? user_id)
      return [total_count, ...names]
    }
    const keys = "listGuardrailKeyAssignments"
    assert.strictEqual((await page(keys, world.managementKey))[0], 5)
    assert.deepEqual(await page(keys, key), [2, hash, another])
    assert.deepEqual(await page(keys, key, 0, 1), [2, hash])
    assert.deepEqual(await page(keys, key, 1, 1), [2, another])
    assert.deepEqual(await page(keys, key, 2), [2])
    const members = "listGuardrailMemberAssignments"
    assert.deepEqual(await page(members, world.managementKey), [3, "user-1", "ann", "bob"])
    assert.deepEqual(await page(members, key), [2, "ann", "bob"])
    assert.deepEqual(await page(members, key, 1, 1), [2, "bob"])
    for (const list of ["listKeyAssignments", "listMemberAssignments"] as const)
      assert.strictEqual((await world.call(list, { key })).status, 403)
  }),
  keyThat("replaces no guardrail of another workspace", async (given, world) => {
    const { key } = given
    const { hash, id } = await guarded(world, given)
    const another = (await world.call("createKey", { body: { name: "another" }, key })).json.data.hash
    const strict = (await world.call("createGuardrail", { body: { name: "strict" } })).json.data.id
    const assign = (guardrail: string, hashes: readonly string[], by: string) =>
      world.call("assignKeys", { key: by, params: { id: guardrail }, body: { key_hashes: hashes } })
    await assign(strict, [hash], world.managementKey)
    const refused = await assign(id, [another, hash], key)
    assert.deepEqual([refused.status, refused.json.error.metadata.reason], [403, "restricted_key"])
    const { issues } = refused.json.error.metadata
    assert.lengthOf(issues, 1)
    assert.deepInclude(issues[0], { path: "key_hashes", code: "workspace_ids" })
    assert.include(issues[0].message, hash)
    const of = async (guardrail: string) =>
      (await world.call("listGuardrailKeyAssignments", { params: { id: guardrail } })).json.total_count
    assert.deepEqual([await of(strict), await of(id)], [1, 0])
    // One of its own workspace is replaced, and any by a key without restrictions.
    const own = (await world.call("createGuardrail", { body: { name: "own" }, key })).json.data.id
    assert.strictEqual((await assign(own, [another], key)).status, 200)
    assert.strictEqual((await assign(id, [another], key)).status, 200)
    assert.strictEqual((await assign(id, [hash], world.managementKey)).status, 200)
    assert.strictEqual((await assign(own, [hash], key)).status, 200)
  }),
  keyThat("allows no credential to keys of other workspaces", async ({ key }, world) => {
    const credential = (hash: string) =>
      world.call("createByokCredential", {
        key,
        body: { provider: "openai", key: "sk-0123456789abcdef0123456789", allowed_api_key_hashes: [hash] }
      })
    const made = await world.call("createKey", { body: { name: "theirs" }, key })
    assert.strictEqual((await credential(made.json.data.hash)).status, 200)
    assert.strictEqual((await credential(world.normalKeyHash)).status, 400)
  })
]
