import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { listCases } from "../http/listCases.ts"

const create = async (world: World, fields: Record<string, unknown> = {}) =>
  (
    await world.call("createByokCredential", {
      body: { key: "sk-0123456789abcdefghijklmnop", provider: "openai", ...fields }
    })
  ).json.data

export const listByokCredentials: CasesOf = {
  operation: "listByokCredentials",
  cases: [
    {
      name: "as they were created",
      status: 200,
      run: async (world) => {
        const made = await create(world, {
          name: "All",
          is_required: true,
          declared_zdr: true,
          allowed_models: ["b", "a"],
          allowed_user_ids: [],
          allowed_api_key_hashes: [world.normalKeyHash]
        })
        const listed = await world.call("listByokCredentials")
        assert.deepEqual(listed.json, { data: [made], total_count: 1 })
        return listed
      },
      check: ({ text }) => assert.notInclude(text, "0123456789")
    },
    {
      name: "of one provider",
      status: 200,
      run: async (world) => {
        await create(world)
        const made = await create(world, { provider: "anthropic/2" })
        const none = await world.call("listByokCredentials", { query: { provider: "anthropic" } })
        assert.deepEqual(none.json, { data: [], total_count: 0 })
        const listed = await world.call("listByokCredentials", { query: { provider: "anthropic/2" } })
        assert.deepEqual(listed.json, { data: [made], total_count: 1 })
        return listed
      }
    },
    ...listCases(
      "listByokCredentials",
      async (world, workspace_id) => (await create(world, workspace_id === undefined ? {} : { workspace_id })).id
    ),
    ...managementOnly("listByokCredentials", () => ({})),
    refused(
      "listByokCredentials",
      "an unknown provider",
      { query: { provider: "nobody" } },
      { path: "query.provider", reason: "unknown_provider" }
    ),
    refused("listByokCredentials", "an empty provider", { query: { provider: "" } }, { path: "query.provider" }),
    storeGone("ByokCredentials", 500, (world) => world.call("listByokCredentials"))
  ]
}
