import type { DestinationType } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { destinationConfigs } from "./destinationConfigs.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

const get = (world: World, id: string, headers = {}) => world.call("getDestination", { params: { id }, headers })

export const getDestination: CasesOf = {
  operation: "getDestination",
  cases: [
    {
      name: "of every type, as it was created, whatever the case of the id",
      status: 200,
      run: async (world) => {
        for (const type of Object.keys(destinationConfigs) as DestinationType[]) {
          const { sent, shown, optional } = destinationConfigs[type]
          const made = await world.call("createDestination", {
            body: {
              type,
              name: type,
              regions: ["us", "europe"],
              api_key_hashes: [world.normalKeyHash],
              filter_rules: { groups: [{ logic: "or", rules: [{ field: "model", operator: "exists" }] }] },
              config: { ...sent, ...optional }
            }
          })
          const read = await get(world, made.json.data.id.toUpperCase())
          assert.deepEqual(read.json.data, made.json.data)
          assert.deepEqual(read.json.data.config, { ...shown, ...optional })
        }
        const first = (await world.call("listDestinations", { query: { limit: "1" } })).json.data[0]
        const read = await get(world, first.id)
        assert.deepEqual(read.json.data, first)
        return read
      }
    },
    {
      name: "of another workspace of the account",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const workspace_id = workspace.json.data.id
        const body = { type: "webhook", config: { url: "https://example.com" }, workspace_id }
        const made = await world.call("createDestination", { body })
        return get(world, made.json.data.id)
      }
    },
    ...managementOnly("getDestination", () => ({ params: { id: nobody } })),
    { name: "unknown", status: 404, run: (world) => get(world, nobody) },
    { name: "malformed", status: 404, run: (world) => get(world, "webhook") },
    {
      name: "of a deleted workspace",
      status: 404,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        const workspace_id = workspace.json.data.id
        const body = { type: "webhook", config: { url: "https://example.com" }, workspace_id }
        const made = await world.call("createDestination", { body })
        await world.call("deleteWorkspace", { params: { id: "gone" } })
        return get(world, made.json.data.id)
      }
    },
    {
      name: "of another account, alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const body = { type: "webhook", config: { url: "https://example.com" } }
        const foreign = await other.call("createDestination", { body })
        const headers = { "x-request-id": "same" }
        const hidden = await get(world, foreign.json.data.id, headers)
        assert.strictEqual(hidden.text, (await get(world, nobody, headers)).text)
        return hidden
      }
    },
    storeGone("Destinations", 500, (world) => get(world, nobody))
  ]
}
