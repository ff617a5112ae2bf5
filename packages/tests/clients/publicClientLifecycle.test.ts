/** The unmodified public client makes one of everything in a workspace and deletes it all again: nothing is left but the record. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { inject } from "vitest"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { dumpDatabase } from "@gatewarden/testkit/stores/dumpDatabase"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { itemsOf } from "./itemsOf.ts"

let url: string
let server: ServerProcess
let manager: OpenRouter

const client = (apiKey: string) => new OpenRouter({ apiKey, serverURL: server.url, retryConfig: { strategy: "none" } })

/**
 * What is to be left: the audit log; the tombstones of keys, which background work sweeps (`GATEWARDEN_KEEP_DELETED_KEYS`); and what
 * belongs to the server, not to an account.
 */
const kept = /^gatewarden_(?:changes|audit_\w+|usage_\w+|deleted_key|background_job|rate_limit|ranking_\w+)$/

/** Every row of every other table, by table. Amounts may be merged into one row or be none: only what they add up to counts. */
const rowsOf = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
  const tables = (await dumpDatabase(url)).filter(({ table }) => !kept.test(table))
  return Object.fromEntries(
    tables.map(({ table, text }) => {
      const rows = text.split("\n").filter((row) => row !== "")
      if (table !== "gatewarden_stored_amount") return [table, rows.toSorted()]
      const sums = new Map<string, number>()
      for (const row of rows) {
        const { kind, workspace_id, rows: amount } = JSON.parse(row) as Readonly<Record<string, unknown>>
        sums.set(
          `${String(kind)} ${String(workspace_id)}`,
          (sums.get(`${String(kind)} ${String(workspace_id)}`) ?? 0) + Number(amount)
        )
      }
      return [table, [...sums].flatMap(([owner, amount]) => (amount === 0 ? [] : [`${owner} ${amount}`])).toSorted()]
    })
  )
}

beforeAll(async () => {
  url = await createMigratedDatabase(inject("postgres"))
  server = await startServerProcess({
    environment: {
      DATABASE_URL: url,
      GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
      GATEWARDEN_BACKGROUND: "0"
    }
  })
  manager = client(managementKey)
})

afterAll(() => server?.stop())

describe("the public client", () => {
  it("makes one of everything in a workspace, and deletes it all", async () => {
    // What a first request leaves is not what the lifecycle does.
    await itemsOf(await manager.workspaces.list({}))
    const before = await rowsOf()

    const workspace = (await manager.workspaces.create({ createWorkspaceRequest: { name: "Lab", slug: "lab" } })).data
    const workspaceId = workspace.id
    const key = await manager.apiKeys.create({
      requestBody: { name: "key", workspaceId, limit: 10, limitReset: "daily", creatorUserId: "ann" }
    })
    const { hash } = key.data
    const user = client(key.key)
    await manager.workspaces.bulkAddMembers({
      id: workspaceId,
      bulkAddWorkspaceMembersRequest: { userIds: ["ann", "bob"] }
    })
    const guardrail = (
      await manager.guardrails.create({
        createGuardrailRequest: {
          name: "European",
          workspaceId,
          allowedDataRegions: ["europe"],
          limitUsd: 5,
          resetInterval: "monthly"
        }
      })
    ).data
    const { id } = guardrail
    await manager.guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes: [hash] } })
    await manager.guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest: { memberUserIds: ["ann"] } })
    const credential = (
      await manager.byok.create({
        createBYOKKeyRequest: { provider: "openai", key: "sk-of-the-lab-0123456789", workspaceId }
      })
    ).data
    const destination = (
      await manager.observability.create({
        createObservabilityDestinationRequest: {
          name: "Traces",
          type: "langfuse",
          workspaceId,
          config: { publicKey: "pk-lf-0123456789abcdefghijklmn", secretKey: "sk-lf-0123456789abcdefghijklmn" }
        }
      })
    ).data
    await user.presets.createPresetsChatCompletions({
      slug: "support",
      chatRequest: { model: "acme/sonnet", messages: [{ role: "system", content: "Answer briefly." }] }
    })
    const file = await user.files.upload({
      requestBody: { file: new File(["Hello"], "notes.txt", { type: "text/plain" }) }
    })
    await manager.workspaces.setBudget({
      workspaceRef: workspaceId,
      interval: "monthly",
      upsertWorkspaceBudgetRequest: { limitUsd: 500 }
    })
    const during = await rowsOf()
    for (const table of ["workspace", "api_key", "guardrail", "byok_credential", "destination", "preset", "file"])
      assert.isAbove(during[`gatewarden_${table}`]?.length ?? 0, before[`gatewarden_${table}`]?.length ?? 0, table)

    assert.isTrue((await manager.workspaces.deleteBudget({ workspaceRef: workspaceId, interval: "monthly" })).deleted)
    assert.property(await manager.files.delete({ fileId: "id" in file ? String(file.id) : "", workspaceId }), "id")
    assert.isTrue((await manager.observability.delete({ id: "id" in destination ? destination.id : "" })).deleted)
    assert.isTrue((await manager.byok.delete({ id: credential.id })).deleted)
    await manager.guardrails.bulkUnassignKeys({ id, bulkUnassignKeysRequest: { keyHashes: [hash] } })
    await manager.guardrails.bulkUnassignMembers({ id, bulkUnassignMembersRequest: { memberUserIds: ["ann"] } })
    assert.isTrue((await manager.guardrails.delete({ id })).deleted)
    assert.isTrue((await manager.apiKeys.delete({ hash })).deleted)
    await manager.workspaces.bulkRemoveMembers({
      id: workspaceId,
      bulkRemoveWorkspaceMembersRequest: { userIds: ["ann", "bob"] }
    })
    // The public API deletes no preset: it goes with its workspace.
    assert.isTrue((await manager.workspaces.delete({ id: workspaceId })).deleted)

    assert.isEmpty((await manager.apiKeys.list({ includeDisabled: true })).data)
    assert.isEmpty(await itemsOf(await manager.guardrails.list({})))
    assert.isEmpty(await itemsOf(await manager.guardrails.listKeyAssignments({})))
    assert.isEmpty(await itemsOf(await manager.guardrails.listMemberAssignments({})))
    assert.isEmpty(await itemsOf(await manager.byok.list({})))
    assert.isEmpty(await itemsOf(await manager.observability.list({})))
    assert.isEmpty(await itemsOf(await manager.presets.list({})))
    assert.deepEqual(
      (await itemsOf(await manager.workspaces.list({}))).map(({ slug }) => slug),
      ["default"]
    )
    assert.deepEqual(await rowsOf(), before)
  })
})
