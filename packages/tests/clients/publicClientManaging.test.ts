/** The unmodified public client manages what decisions stand on: keys, assignments, members, budgets. Only its address is set. */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { itemsOf } from "./itemsOf.ts"

let server: ServerProcess
let manager: OpenRouter

const client = (apiKey: string) => new OpenRouter({ apiKey, serverURL: server.url, retryConfig: { strategy: "none" } })

const failure = (work: Promise<unknown>): Promise<{ readonly name: string; readonly statusCode: number }> =>
  work.then(
    () => assert.fail("accepted"),
    (error: Error & { statusCode: number }) => ({ name: error.constructor.name, statusCode: error.statusCode })
  )

beforeAll(async () => {
  server = await startServerProcess()
  manager = client(managementKey)
})

afterAll(() => server?.stop())

describe("the public client", () => {
  it("lists, reads, changes and deletes keys", async () => {
    const made = await manager.apiKeys.create({ requestBody: { name: "One", limit: 10, limitReset: "daily" } })
    const { hash } = made.data
    assert.deepEqual((await manager.apiKeys.get({ hash })).data, made.data)
    const updated = await manager.apiKeys.update({
      hash,
      requestBody: { name: "Two", limit: null, limitReset: null, includeByokInLimit: true, disabled: true }
    })
    assert.deepInclude(updated.data, { name: "Two", limit: null, limitReset: null, disabled: true })
    assert.strictEqual((await failure(client(made.key).apiKeys.getCurrentKeyMetadata())).statusCode, 401)
    assert.isEmpty((await manager.apiKeys.list({})).data)
    assert.deepEqual((await manager.apiKeys.list({ includeDisabled: true })).data, [updated.data])
    assert.isTrue((await manager.apiKeys.delete({ hash })).deleted)
    assert.deepEqual(await failure(manager.apiKeys.get({ hash })), { name: "NotFoundResponseError", statusCode: 404 })
  })

  it("brings a key of its own for an end user", async () => {
    const apiKey = "a-key-of-the-host-J7mX2vQ9tR4wZ8kB"
    const made = await manager.apiKeys.create({
      requestBody: { name: "Own", external: { user: "customer-1", apiKey } }
    })
    assert.strictEqual(made.data.externalUser, "customer-1")
    assert.strictEqual(made.key, made.data.label)
    assert.strictEqual((await client(apiKey).apiKeys.getCurrentKeyMetadata()).data.label, made.data.label)
    assert.isTrue((await manager.apiKeys.delete({ hash: made.data.hash })).deleted)
  })

  it("reads and changes BYOK credentials with a region, of which it does not know", async () => {
    const send = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: answer.status, json: (await answer.json()) as { data: Record<string, unknown> } }
    }
    // It sends no field that it does not know, which this server would refuse with such a key, and shows none.
    const made = await manager.byok.create({
      createBYOKKeyRequest: {
        provider: "openai",
        key: JSON.stringify({ api_key: "sk-0123456789abcdefghij", region: "europe" }),
        ...{ declared_region: "us", declaredRegion: "us" }
      }
    })
    const { id } = made.data
    assert.notProperty(made.data, "declaredRegion")
    assert.strictEqual((await send("GET", `/byok/${id}`)).json.data["declared_region"], "europe")
    const updated = await manager.byok.update({ id, updateBYOKKeyRequest: { name: "In Europe" } })
    assert.deepEqual(updated.data, { ...made.data, name: "In Europe" })

    // As newer versions send it.
    const azure = await send("POST", "/byok", { provider: "azure", key: "0123456789abcdef", declared_region: "us" })
    assert.deepInclude(azure, { status: 200 })
    const path = `/byok/${String(azure.json.data["id"])}`
    assert.strictEqual((await send("PATCH", path, { declared_region: null })).json.data["declared_region"], null)
    assert.strictEqual(
      (await send("PATCH", path, { declared_region: "europe" })).json.data["declared_region"],
      "europe"
    )
    assert.strictEqual((await send("PATCH", path, { declared_region: "mars" })).status, 400)
    const listed = await itemsOf(await manager.byok.list({}))
    assert.lengthOf(listed, 2)
    for (const one of listed) assert.isTrue((await manager.byok.delete({ id: one.id })).deleted)
  })

  it("lists guardrails, puts them on keys and members, and deletes them", async () => {
    const made = await manager.guardrails.create({
      createGuardrailRequest: { name: "European", allowedDataRegions: ["europe"] }
    })
    const { id } = made.data
    assert.deepEqual(await itemsOf(await manager.guardrails.list({})), [made.data])

    const key = await manager.apiKeys.create({ requestBody: { name: "Assigned", creatorUserId: "user-7" } })
    const { hash } = key.data
    assert.strictEqual(hash, createHash("sha256").update(key.key).digest("hex"))
    const keys = await manager.guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes: [hash] } })
    assert.strictEqual(keys.assignedCount, 1)
    const current = await client(key.key).apiKeys.getCurrentKeyMetadata()
    assert.deepEqual(current.data.allowedDataRegions, ["europe"])
    const ofKeys = await itemsOf(await manager.guardrails.listGuardrailKeyAssignments({ id }))
    assert.deepInclude(ofKeys[0], { guardrailId: id, keyHash: hash, keyName: "Assigned", assignedBy: null })
    assert.deepEqual(await itemsOf(await manager.guardrails.listKeyAssignments({})), ofKeys)

    const members = await manager.guardrails.bulkAssignMembers({
      id,
      bulkAssignMembersRequest: { memberUserIds: ["user-7"] }
    })
    assert.strictEqual(members.assignedCount, 1)
    const ofMembers = await itemsOf(await manager.guardrails.listGuardrailMemberAssignments({ id }))
    assert.deepInclude(ofMembers[0], { guardrailId: id, userId: "user-7" })
    assert.deepEqual(await itemsOf(await manager.guardrails.listMemberAssignments({})), ofMembers)

    const refused = manager.guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes: ["0".repeat(64)] } })
    assert.deepEqual(await failure(refused), { name: "BadRequestResponseError", statusCode: 400 })
    const noKeys = await manager.guardrails.bulkUnassignKeys({ id, bulkUnassignKeysRequest: { keyHashes: [hash] } })
    assert.strictEqual(noKeys.unassignedCount, 1)
    const noMembers = await manager.guardrails.bulkUnassignMembers({
      id,
      bulkUnassignMembersRequest: { memberUserIds: ["user-7"] }
    })
    assert.strictEqual(noMembers.unassignedCount, 1)
    assert.isTrue((await manager.guardrails.delete({ id })).deleted)
    assert.isEmpty(await itemsOf(await manager.guardrails.list({})))
  })

  it("adds, lists and removes members of a workspace", async () => {
    const added = await manager.workspaces.bulkAddMembers({
      id: "default",
      bulkAddWorkspaceMembersRequest: { userIds: ["ann", "bob"] }
    })
    assert.strictEqual(added.addedCount, 2)
    const listed = await itemsOf(await manager.workspaces.listMembers({ id: "default" }))
    assert.deepEqual(listed, added.data)
    assert.deepEqual((await manager.credits.getCredits()).data, { totalCredits: 0, totalUsage: 0 })
    const users = await itemsOf(await manager.organization.listMembers({}))
    assert.deepInclude(users, { id: "ann", email: "", firstName: null, lastName: null, role: "org:member" })
    const removed = await manager.workspaces.bulkRemoveMembers({
      id: "default",
      bulkRemoveWorkspaceMembersRequest: { userIds: ["ann", "nobody"] }
    })
    assert.strictEqual(removed.removedCount, 1)
  })

  it("sets, reads, lists and removes budgets of a workspace", async () => {
    const workspaceRef = "default"
    const set = await manager.workspaces.setBudget({
      workspaceRef,
      interval: "monthly",
      upsertWorkspaceBudgetRequest: { limitUsd: 500.5, includeByokInBudgets: true }
    })
    assert.deepInclude(set.data, { limitUsd: 500.5, resetInterval: "monthly" })
    assert.isTrue(set.includeByokInBudgets)
    assert.deepEqual(await manager.workspaces.getBudget({ workspaceRef, interval: "monthly" }), set)
    const lifetime = await manager.workspaces.setBudget({
      workspaceRef,
      interval: "lifetime",
      upsertWorkspaceBudgetRequest: { limitUsd: 501 }
    })
    assert.isNull(lifetime.data.resetInterval)
    const listed = await manager.workspaces.listBudgets({ workspaceRef })
    assert.deepEqual(listed, { data: [set.data, lifetime.data], includeByokInBudgets: true })
    const tooLarge = manager.workspaces.setBudget({
      workspaceRef,
      interval: "weekly",
      upsertWorkspaceBudgetRequest: { limitUsd: 500.5 }
    })
    assert.deepEqual(await failure(tooLarge), { name: "BadRequestResponseError", statusCode: 400 })
    assert.isTrue((await manager.workspaces.deleteBudget({ workspaceRef, interval: "monthly" })).deleted)
  })
})
