import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"

/** An account has a default workspace. */
const theDefault: Parameters<typeof boundsCases>[2] = ({ json }) => assert.strictEqual(json.total_count, 1)

const inOrder: Case = {
  name: "in the order of creation, a page at a time, and no other account's",
  status: 200,
  run: async (world) => {
    await (await world.other()).call("createWorkspace", { body: { name: "Theirs", slug: "theirs" } })
    const first = await world.call("getWorkspace", { params: { id: "default" } })
    const all = [first.json.data]
    for (const slug of ["c", "a", "b"]) {
      world.installation.clock.now += 1000
      all.push((await world.call("createWorkspace", { body: { name: slug, slug } })).json.data)
    }
    for (let offset = 0; offset <= 5; offset++) {
      const page = await world.call("listWorkspaces", { query: { limit: "2", offset: String(offset) } })
      assert.deepEqual(page.json, { data: all.slice(offset, offset + 2), total_count: 4 })
    }
    const listed = await world.call("listWorkspaces")
    assert.deepEqual(listed.json, { data: all, total_count: 4 })
    return listed
  }
}

export const listWorkspaces: CasesOf = {
  operation: "listWorkspaces",
  cases: [
    ...boundsCases("listWorkspaces", () => ({}), theDefault),
    inOrder,
    {
      name: "none when the last one was deleted",
      status: 200,
      run: async (world) => {
        const query = { confirm_default_workspace_deletion: "true" }
        await world.call("deleteWorkspace", { params: { id: "default" }, query })
        return world.call("listWorkspaces")
      },
      check: ({ json }) => assert.deepEqual(json, { data: [], total_count: 0 })
    },
    ...managementOnly("listWorkspaces", () => ({})),
    storeGone("Workspaces", 500, (world) => world.call("listWorkspaces"))
  ]
}
