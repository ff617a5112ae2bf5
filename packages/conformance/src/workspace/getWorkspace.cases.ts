import { assert } from "@effect/vitest"
import { accessCases, type CasesOf, storeGone } from "../http/Case.ts"

export const getWorkspace: CasesOf = {
  operation: "getWorkspace",
  cases: [
    {
      name: "by slug",
      status: 200,
      run: (world) => world.call("getWorkspace", { params: { id: "default" } }),
      check: (answer, world) => assert.strictEqual(answer.json.data.id, world.workspace_id)
    },
    {
      name: "by id, in capitals, with a management key",
      status: 200,
      run: (world) =>
        world.call("getWorkspace", { params: { id: world.workspace_id.toUpperCase() }, key: world.managementKey })
    },
    ...accessCases("getWorkspace", () => ({ params: { id: "default" } })),
    { name: "unknown", status: 404, run: (world) => world.call("getWorkspace", { params: { id: "nowhere" } }) },
    { name: "U+0000", status: 404, run: (world) => world.call("getWorkspace", { params: { id: "\u0000" } }) },
    {
      name: "of another account",
      status: 404,
      run: async (world) => world.call("getWorkspace", { params: { id: (await world.other()).workspace_id } })
    },
    {
      name: "another workspace of the account, with an API key",
      status: 404,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        return world.call("getWorkspace", { params: { id: made.json.data.id } })
      }
    },
    storeGone("Workspaces", 500, (world) => world.call("getWorkspace", { params: { id: "default" } }))
  ]
}
