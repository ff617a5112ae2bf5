/** Requests under a guardrail as it is proposed to be. */
import { assert } from "@effect/vitest"
import { ask, explained, openMarket, restrict } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"

export const proposals: readonly Case[] = [
  {
    name: "a proposed change",
    status: 200,
    run: async (world) =>
      explained(world, {
        model: (await openMarket(world)).sonnet,
        guardrail: { scope: "key", patch: { allowed_data_regions: ["us"] } }
      }),
    check: async ({ json: { data } }, world) => {
      assert.deepInclude(data, { decision: "deny", status: 403 })
      const guardrail_id = "00000000-0000-0000-0000-000000000000"
      assert.deepInclude(data.reasons[0], { scope: "key", guardrail_id })
      assert.deepEqual(data.regions.allowed, ["us"])
      assert.strictEqual((await ask(world, { model: data.candidates[0].model })).json.data.decision, "allow")
    }
  },
  {
    name: "a proposed change of a guardrail that applies: what it does not name stays",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, { ignored_providers: ["openai"], allowed_data_regions: ["europe"] })
      return explained(world, {
        model,
        ingress_region: "europe",
        guardrail: { scope: "workspace", patch: { ignored_providers: ["anthropic"] } }
      })
    },
    check: ({ json: { data } }, world) => {
      assert.strictEqual(data.decision, "allow")
      assert.deepEqual(data.regions.allowed, ["europe"])
      assert.deepEqual(
        data.candidates.map(({ allowed }: { allowed: boolean }) => allowed),
        [true, false]
      )
      assert.deepInclude(data.candidates[1].reasons[0], {
        scope: "workspace",
        guardrail_id: world.default_guardrail_id,
        field: "ignored_providers"
      })
    }
  },
  {
    name: "a proposed change comes in its place among the guardrails",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { json } = await world.call("createGuardrail", {
        body: { name: "own", limit_usd: 1, reset_interval: "daily" }
      })
      const { json: made } = await world.call("createKey", { body: { name: "used", creator_user_id: "user-7" } })
      const params = { id: json.data.id }
      await world.call("assignKeys", { params, body: { key_hashes: [made.data.hash] } })
      return explained(world, {
        model,
        api_key_hash: made.data.hash,
        guardrail: { scope: "workspace", patch: { limit_usd: 2, reset_interval: "weekly" } }
      })
    },
    check: ({ json: { data } }) =>
      assert.deepEqual(
        data.budgets.map(({ scope }: { scope: string }) => scope),
        ["workspace_default_member", "workspace_default_key", "key"]
      )
  },
  {
    name: "a proposed change of a guardrail that is the member's and the key's is one of both",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { json } = await world.call("createGuardrail", {
        body: { name: "own", allowed_providers: ["xai"], limit_usd: 1, reset_interval: "daily" }
      })
      const { json: made } = await world.call("createKey", { body: { name: "used", creator_user_id: "user-7" } })
      const params = { id: json.data.id }
      await world.call("assignKeys", { params, body: { key_hashes: [made.data.hash] } })
      await world.call("assignMembers", { params, body: { member_user_ids: ["user-7"] } })
      return explained(world, {
        model,
        api_key_hash: made.data.hash,
        guardrail: { scope: "key", patch: { allowed_providers: ["openai"], limit_usd: 200, reset_interval: "daily" } }
      })
    },
    check: ({ json: { data } }) => {
      assert.strictEqual(data.decision, "allow")
      assert.deepEqual(
        data.budgets.map(({ scope, limit_usd }: Record<string, unknown>) => [scope, limit_usd]),
        [
          ["member", "200"],
          ["key", "200"]
        ]
      )
    }
  },
  {
    name: "a proposed guardrail of a member reaches that member's key",
    status: 200,
    run: async (world) =>
      explained(world, {
        model: (await openMarket(world)).sonnet,
        guardrail: { scope: "member", patch: { allowed_providers: ["xai"] } }
      }),
    check: ({ json: { data } }) => {
      assert.deepInclude(data, { decision: "deny", status: 404 })
      assert.strictEqual(data.candidates[0].reasons[0].scope, "member")
    }
  },
  {
    name: "a proposed guardrail of a member does not reach a key that is nobody's",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const { json } = await world.call("createKey", { body: { name: "nobody's" } })
      return explained(world, {
        model,
        api_key_hash: json.data.hash,
        guardrail: { scope: "member", patch: { allowed_providers: ["xai"] } }
      })
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { decision: "allow", smallest_change: [] })
  }
]
