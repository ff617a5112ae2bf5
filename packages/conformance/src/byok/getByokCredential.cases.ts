import { assert } from "@effect/vitest"
import { type CasesOf, storeGone } from "../http/Case.ts"
import { byokCases, newCredential, nobody } from "./byokCases.ts"

export const getByokCredential: CasesOf = {
  operation: "getByokCredential",
  cases: [
    {
      name: "as it was created, without its key",
      status: 200,
      run: async (world) => {
        const made = await newCredential(world, {
          name: "All",
          disabled: true,
          is_required: true,
          declared_zdr: true,
          allowed_models: ["b", "a"],
          allowed_user_ids: [],
          allowed_api_key_hashes: [world.normalKeyHash]
        })
        const answer = await world.call("getByokCredential", { params: { id: made.id.toUpperCase() } })
        assert.deepEqual(answer.json, { data: made })
        return answer
      },
      check: ({ text }) => assert.notInclude(text, "0123456789")
    },
    {
      name: "in a workspace other than the default one",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const made = await newCredential(world, { workspace_id: workspace.json.data.id })
        const answer = await world.call("getByokCredential", { params: { id: made.id } })
        assert.deepEqual(answer.json, { data: made })
        return answer
      }
    },
    {
      name: "as it was last changed",
      status: 200,
      run: async (world) => {
        const { id } = await newCredential(world)
        const changed = await world.call("updateByokCredential", { params: { id }, body: { key: "short" } })
        const answer = await world.call("getByokCredential", { params: { id } })
        assert.deepEqual(answer.json, changed.json)
        return answer
      },
      check: ({ json }) => assert.strictEqual(json.data.label, "...")
    },
    ...byokCases("getByokCredential"),
    storeGone("ByokCredentials", 500, (world) => world.call("getByokCredential", { params: { id: nobody } }))
  ]
}
