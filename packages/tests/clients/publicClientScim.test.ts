/** The unmodified public client maps groups that a directory has provisioned. Only its address is set. */
import { scimUrns } from "@gatewarden/contract/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { itemsOf } from "./itemsOf.ts"

let server: ServerProcess
let manager: OpenRouter

beforeAll(async () => {
  server = await startServerProcess()
  manager = new OpenRouter({ apiKey: managementKey, serverURL: server.url, retryConfig: { strategy: "none" } })
})

afterAll(() => server?.stop())

/** As a directory sends it. */
const provision = async (path: string, body: object): Promise<{ readonly id: string }> => {
  const response = await fetch(`${server.url}/scim/v2${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/scim+json" },
    body: JSON.stringify(body)
  })
  assert.strictEqual(response.status, 201)
  return response.json() as Promise<{ readonly id: string }>
}

const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => assert.fail("accepted"),
    ({ statusCode }: { statusCode: number }) => statusCode
  )

describe("the public client", () => {
  it("lists groups, maps one, reads, changes and deletes the mapping", async () => {
    const user = await provision("/Users", { schemas: [scimUrns.user], userName: "ann@example.com" })
    const group = await provision("/Groups", { displayName: "Research", members: [{ value: user.id }] })
    const groups = await itemsOf(await manager.scim.listGroups({}))
    assert.deepInclude(groups[0], { id: group.id, displayName: "Research", externalId: null })

    const workspace = await manager.workspaces.create({ createWorkspaceRequest: { name: "Lab", slug: "lab" } })
    const wanted = { scimGroupId: group.id, workspaceId: workspace.data.id, role: "member" as const }
    const made = await manager.scim.create({ createScimGroupMappingRequest: wanted })
    assert.deepInclude(made.data, wanted)
    const { id } = made.data
    assert.deepEqual((await manager.scim.read({ id })).data, made.data)
    assert.deepEqual(await itemsOf(await manager.scim.listMappings({})), [made.data])
    assert.strictEqual(
      await statusOf(manager.scim.create({ createScimGroupMappingRequest: { ...wanted, role: "admin" } })),
      409
    )
    const updated = await manager.scim.update({ id, updateScimGroupMappingRequest: { role: "admin" } })
    assert.strictEqual(updated.data.role, "admin")

    const members = await itemsOf(await manager.workspaces.listMembers({ id: "lab" }))
    assert.deepInclude(members[0], { userId: "ann@example.com", role: "admin" })
    assert.strictEqual(
      await statusOf(
        manager.workspaces.bulkRemoveMembers({
          id: "lab",
          bulkRemoveWorkspaceMembersRequest: { userIds: ["ann@example.com"] }
        })
      ),
      400
    )
    const users = await itemsOf(await manager.organization.listMembers({}))
    assert.deepInclude(users[0], { id: "ann@example.com", email: "ann@example.com", firstName: null })

    assert.isTrue((await manager.scim.delete({ id, keepMembers: "false" })).deleted)
    assert.isEmpty(await itemsOf(await manager.workspaces.listMembers({ id: "lab" })))
    assert.strictEqual(await statusOf(manager.scim.read({ id })), 404)
  })

  it("starts a sync job, which the background does", async () => {
    const { result } = await manager.scim.createSyncJob()
    const { id } = result.data
    for (;;) {
      const { data } = await manager.scim.getSyncJob({ id })
      if (data.status === "succeeded") {
        assert.deepInclude(data, { syncedGroups: 1, deletedGroups: 0, errorMessage: null })
        return
      }
      assert.include(["queued", "running"], data.status)
    }
  })
})
