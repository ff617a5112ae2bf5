/** Requests that the rates of their key hold up. */
import { assert } from "@effect/vitest"
import { ask, explained, limitRates, openMarket, restrict } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"

export const rates: readonly Case[] = [
  {
    name: "a rate that is used up, and what would be enough",
    status: 200,
    run: async (world) => {
      const { mini: model } = await openMarket(world)
      await limitRates(world, { requests_per_minute: 2, parallel_requests: 1 })
      assert.strictEqual((await explained(world, { model })).json.data.decision, "allow")
      await ask(world, { model })
      await explained(world, { model })
      return explained(world, { model })
    },
    check: ({ json: { data } }) => {
      const at = { scope: "rate_limit", guardrail_id: null, field: "parallel_requests" }
      assert.deepInclude(data, { decision: "deny", status: 429, reasons: [{ ...at, value: 1 }] })
      assert.deepEqual(data.smallest_change, [{ ...at, from: 1, to: 2 }])
    }
  },
  {
    name: "a rate that is used up where nothing is permitted: what policy answers, and both reasons",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await limitRates(world, { requests_per_minute: 1 })
      await ask(world, { model })
      await restrict(world, { allowed_providers: ["xai"] })
      assert.strictEqual((await ask(world, { model })).json.data.status, 404)
      return explained(world, { model })
    },
    check: ({ json: { data } }) => {
      assert.deepInclude(data, { decision: "deny", status: 404 })
      assert.deepEqual(
        data.smallest_change.map(({ field }: { field: string }) => field),
        ["requests_per_minute", "allowed_providers"]
      )
    }
  }
]
