import { assert } from "@effect/vitest"
import { accessCases, type CasesOf, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { given } from "./queryAnalytics/scene.ts"

const get = (world: World, id: string, key?: string) =>
  world.call("getGeneration", { query: { id }, key: key ?? world.managementKey })

const secondWorkspace = async (world: World): Promise<string> =>
  (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id

export const getGeneration: CasesOf = {
  operation: "getGeneration",
  cases: [
    {
      name: "every field that an event has",
      status: 200,
      run: async (world) => {
        await given(world, {
          id: "gen 1/ä",
          created_at: "2026-03-04T11:00:00.5Z",
          model: "acme/sonnet:free",
          provider: "Acme",
          external_user: "customer",
          origin: "https://a.example",
          session_id: "session-1",
          data_region: "europe",
          status: "cancelled",
          finish_reason: "stop",
          byok: true,
          prompt_tokens: 9_007_199_254_740_991,
          completion_tokens: 2,
          reasoning_tokens: 1,
          cached_tokens: 3,
          cost_usd: "0.000000001",
          byok_cost_usd: "0.2",
          cost_components: { usage_upstream: "0.1" },
          latency_ms: 12.5,
          generation_ms: 2000
        })
        return get(world, "gen 1/ä")
      },
      check: ({ json }, world) => {
        const { data } = json
        const known = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
        assert.deepEqual(known, {
          id: "gen 1/ä",
          created_at: "2026-03-04T11:00:00.500Z",
          model: "acme/sonnet:free",
          provider_name: "Acme",
          external_user: "customer",
          origin: "https://a.example",
          session_id: "session-1",
          data_region: "europe",
          cancelled: true,
          finish_reason: "stop",
          is_byok: true,
          native_tokens_prompt: 9_007_199_254_740_991,
          native_tokens_completion: 2,
          native_tokens_reasoning: 1,
          native_tokens_cached: 3,
          tokens_prompt: 9_007_199_254_740_991,
          tokens_completion: 2,
          usage: 0.000000001,
          total_cost: 0.200000001,
          upstream_inference_cost: 0.1,
          latency: 12.5,
          generation_time: 2000,
          workspace_id: world.workspace_id
        })
      }
    },
    {
      name: "an event with the least that it may have",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1" })
        return get(world, "gen-1")
      },
      check: ({ json: { data } }) =>
        assert.deepInclude(data, {
          data_region: "global",
          origin: "",
          is_byok: false,
          cancelled: false,
          upstream_inference_cost: null,
          finish_reason: null,
          latency: null,
          native_tokens_cached: 0
        })
    },
    {
      name: "the upstream's cost of a BYOK request",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1", byok: true, byok_cost_usd: "0.25", cost_usd: "0.01" })
        return get(world, "gen-1")
      },
      check: ({ json: { data } }) =>
        assert.deepInclude(data, { usage: 0.01, total_cost: 0.26, upstream_inference_cost: 0.25 })
    },
    {
      name: "an API key finds what was used in its workspace, by whatever key",
      status: 200,
      run: async (world) => {
        await given(world, { id: "gen-1", api_key_hash: "f".repeat(64) })
        return get(world, "gen-1", world.normalKey)
      },
      check: ({ json }, world) => assert.strictEqual(json.data.workspace_id, world.workspace_id)
    },
    {
      name: "an API key and an event of another workspace, even with its own hash",
      status: 404,
      run: async (world) => {
        const workspace_id = await secondWorkspace(world)
        await given(world, { id: "gen-1", workspace_id, api_key_hash: world.normalKeyHash })
        assert.strictEqual((await get(world, "gen-1")).json.data.workspace_id, workspace_id)
        return get(world, "gen-1", world.normalKey)
      },
      check: reasonIs("not_found")
    },
    {
      name: "an event of a workspace that was deleted",
      status: 200,
      run: async (world) => {
        const workspace_id = await secondWorkspace(world)
        await given(world, { id: "gen-1", workspace_id })
        await world.call("deleteWorkspace", { params: { id: workspace_id } })
        return get(world, "gen-1")
      }
    },
    {
      name: "another account's event",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        await given(other, { id: "gen-1" })
        assert.strictEqual((await get(other, "gen-1")).status, 200)
        return get(world, "gen-1")
      },
      check: reasonIs("not_found")
    },
    {
      name: "an id that differs in case",
      status: 404,
      run: async (world) => {
        await given(world, { id: "gen-1" })
        return get(world, "GEN-1")
      }
    },
    refused("getGeneration", "no id", {}, { path: "query.id" }),
    refused("getGeneration", "an empty id", { query: { id: "" } }, { path: "query.id" }),
    refused("getGeneration", "an id that is too long", { query: { id: "x".repeat(129) } }, { path: "query.id" }),
    ...accessCases("getGeneration", () => ({ query: { id: "gen-1" } })),
    storeGone("Generations", 500, (world) => get(world, "gen-1"))
  ]
}
