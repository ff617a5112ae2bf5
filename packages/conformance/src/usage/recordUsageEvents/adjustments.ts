/** What corrects or voids a recorded request, and all that follows it. Rule: usage#adjustments. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { pricedModel } from "../../admission/admissionBounds.ts"
import { ask, nowOf } from "../../admission/admissionWorld.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { dayOf, own, rank, scene, yesterday } from "../getRankingsDaily/scene.ts"
import { counted, event, line, lines, record, shown } from "./scene.ts"

const sums = ["request_count", "tokens_prompt", "total_usage", "byok_usage", "usage_web"] as const

const request = { id: "request", prompt_tokens: 100, cost_usd: "2", cost_components: { usage_web: "0.5" } }

const nothing = { prompt_tokens: 0, completion_tokens: 0, cost_usd: "0" }

const sumsOf = (world: World) => shown(world, sums)

const refusedAs = (
  name: string,
  run: (world: World) => ReturnType<World["call"]>,
  path = "events.0.adjusts"
): Case => ({
  name,
  status: 400,
  run,
  check: async (answer) => {
    reasonIs("invalid_request")(answer)
    assert.deepInclude(answer.json.error.metadata.issues[0], { path, code: "unknown_event" })
  }
})

export const adjustments: readonly Case[] = [
  {
    name: "an adjustment: the request counts for its tokens and cost, wherever the request counts",
    status: 200,
    run: async (world) => {
      await record(world, { ...request, session_id: "s", status: "error", app: "app" })
      return record(world, {
        ...{
          id: "a",
          adjusts: "request",
          prompt_tokens: 40,
          completion_tokens: 20,
          cost_usd: "0.5",
          byok_cost_usd: "1"
        },
        // Whatever else it says is that of the request.
        ...{ created_at: "2026-03-01T00:00:00Z", model: "else/where", status: "ok", byok: true, app: "other" }
      })
    },
    check: async (answer, world) => {
      await counted(1, 0)(answer, world)
      const by = ["session_id", "status"]
      assert.deepEqual(await shown(world, sums, by), [
        {
          ...{ session_id: "s", status: "error", request_count: 1, tokens_prompt: 40 },
          ...{ total_usage: 1.5, byok_usage: 1, usage_web: 0 }
        }
      ])
      assert.deepEqual(await shown(world, ["byok_request_count", "cache_hit_rate"], ["model", "app"]), [
        { model: "acme/sonnet", app: "app", byok_request_count: 0, cache_hit_rate: 0 }
      ])
      assert.deepEqual(await shown(world, ["request_count", "total_usage"], ["generation_id"]), [
        { generation_id: "request", request_count: 1, total_usage: 1.5 }
      ])
      const { json } = await world.call("getGeneration", { query: { id: "request" } })
      assert.deepInclude(json.data, { usage: 0.5, total_cost: 1.5, tokens_prompt: 40 })
      assert.strictEqual((await world.call("getGeneration", { query: { id: "a" } })).status, 404)
      const invoice = await world.call("getInvoice", { query: { month: "2026-03", by: "workspace" } })
      assert.deepInclude(invoice.json.data.total, {
        requests: 1,
        prompt_tokens: 40,
        cost_usd: "0.5",
        byok_cost_usd: "1"
      })
    }
  },
  {
    name: "an adjustment to nothing voids what the request cost, and the request stays",
    status: 200,
    run: async (world) => {
      await record(world, request)
      return record(world, { id: "a", adjusts: "request", ...nothing })
    },
    check: async (_, world) =>
      assert.deepEqual(await sumsOf(world), [
        { request_count: 1, tokens_prompt: 0, total_usage: 0, byok_usage: 0, usage_web: 0 }
      ])
  },
  {
    name: "adjustments count once each, and against what the request counts for already",
    status: 200,
    run: async (world) => {
      await record(world, request)
      const half = { adjusts: "request", prompt_tokens: 50, cost_usd: "1" }
      await record(world, { id: "a", ...half }, { id: "b", ...half }, { id: "a", ...half, cost_usd: "9" })
      await record(world, { id: "c", ...half }, { id: "a", ...half, cost_usd: "9" })
      return record(world, { id: "d", ...half, cost_usd: "3" }, { id: "e", ...half, cost_usd: "1.25" })
    },
    check: async (answer, world) => {
      await counted(2, 0)(answer, world)
      assert.deepEqual(await sumsOf(world), [
        { request_count: 1, tokens_prompt: 50, total_usage: 1.25, byok_usage: 0, usage_web: 0 }
      ])
    }
  },
  {
    name: "an export has the request as it counts, which can be recorded again",
    status: 200,
    run: async (world) => {
      await record(world, request, { id: "other" })
      await record(world, { id: "a", adjusts: "request", prompt_tokens: 1, cost_usd: "0.25" })
      return world.call("exportUsageEvents")
    },
    check: ({ text }) => {
      const events = text
        .trim()
        .split("\n")
        .map((one) => JSON.parse(one) as Record<string, unknown>)
      assert.deepEqual(
        events.map(({ id, prompt_tokens, cost_usd }) => [id, prompt_tokens, cost_usd]),
        [
          ["other", 100, "0.000000001"],
          ["request", 1, "0.25"]
        ]
      )
      assert.notProperty(events[1], "adjusts")
    }
  },
  {
    name: "the spending of a key follows",
    status: 200,
    run: async (world) => {
      const { key, data } = (await world.call("createKey", { body: { name: "Spending", limit: 10 } })).json
      const asked = { api_key_hash: data.hash, created_at: nowOf(world) }
      await record(world, { ...asked, id: "request", cost_usd: "2" }, { ...asked, id: "other", cost_usd: "4" })
      await record(world, { id: "a", adjusts: "request", ...nothing, cost_usd: "0.5" })
      await record(world, { id: "b", adjusts: "other", ...nothing, cost_usd: "4.25" })
      return world.call("getCurrentKey", { key })
    },
    check: ({ json: { data } }) =>
      assert.deepInclude(data, { usage: 4.75, usage_daily: 4.75, usage_monthly: 4.75, limit_remaining: 5.25 })
  },
  {
    name: "what an admission held is adjusted in the windows of the admission, not in those of the event",
    status: 200,
    run: async (world) => {
      const model = await pricedModel(world, { prompt: "0", completion: "0.001" })
      const budget = { name: "Spending", limit: 10, limit_reset: "daily" }
      const { key, data } = (await world.call("createKey", { body: budget })).json
      const messages = [{ role: "user", content: "Hello" }]
      const asked = await ask(world, { model, messages, max_completion_tokens: 10, api_key_hash: data.hash })
      const { id } = asked.json.data
      const created_at = new Date(world.installation.clock.now - 86_400_000).toISOString()
      const report = { created_at, model, provider: "acme", ...nothing, cost_usd: "2" }
      const settled = await world.call("settleAdmission", { params: { id }, body: { event: report } })
      assert.strictEqual(settled.status, 200, settled.text)
      assert.deepInclude((await world.call("getCurrentKey", { key })).json.data, { usage_daily: 2, limit_remaining: 8 })
      const adjusted = await record(world, { id: "a", adjusts: id, ...nothing, cost_usd: "0.5" })
      assert.strictEqual(adjusted.status, 200, adjusted.text)
      return world.call("getCurrentKey", { key })
    },
    check: ({ json: { data } }) =>
      assert.deepInclude(data, { usage: 0.5, usage_daily: 0.5, usage_weekly: 0.5, limit_remaining: 9.5 })
  },
  {
    name: "rankings follow, also of days that are summed already",
    status: 200,
    run: async (world) => {
      const day = dayOf(yesterday(world))
      const author = await scene(
        world,
        ["m", "n"],
        [
          [day, "m", 100, { id: "ranked" }],
          [day, "n", 50]
        ]
      )
      const window = { start_date: day, end_date: day }
      assert.deepEqual<unknown>(own(await rank(world, window), author)[0], [day, "m", "100"])
      const sent = { ...event, id: "a", adjusts: "ranked", ...nothing, prompt_tokens: 30 }
      const adjusted = await world.call("recordUsageEvents", { body: { events: [sent] }, key: world.managementKey })
      assert.strictEqual(adjusted.status, 400, "what the operator recorded")
      const ofAccount = { ...sent, account_id: world.account_id }
      const byGateway = await world.call("recordUsageEvents", { body: { events: [ofAccount] }, key: world.gatewayKey })
      assert.strictEqual(byGateway.status, 200, byGateway.text)
      for (let time = 0; time < 2; time++)
        assert.sameDeepMembers(
          [...own(await rank(world, window), author)],
          [
            [day, "m", "30"],
            [day, "n", "50"]
          ]
        )
      return byGateway
    }
  },
  {
    name: "with a gateway key, also what the account may not adjust itself",
    status: 200,
    run: async (world) => {
      const of = { account_id: world.account_id }
      const send = (key: string, ...events: readonly object[]) =>
        world.call("recordUsageEvents", { body: { events: events.map((one) => ({ ...event, ...one })) }, key })
      await send(world.gatewayKey, { ...request, ...of })
      const own = await send(world.managementKey, { id: "a", adjusts: "request", ...nothing })
      assert.strictEqual(own.status, 400)
      assert.strictEqual(own.json.error.metadata.issues[0].path, "events.0.adjusts")
      return send(world.gatewayKey, { ...of, id: "a", adjusts: "request", ...nothing })
    },
    check: counted(1, 0)
  },
  {
    name: "lines in many groups",
    status: 200,
    run: async (world) => {
      await record(world, request)
      const more = Array.from({ length: 2_500 }, (_, n) => line({ id: `e${n}`, prompt_tokens: 1, cost_usd: "0" }))
      const first = line({ id: "a", adjusts: "request", prompt_tokens: 7, cost_usd: "1" })
      const last = line({ id: "b", adjusts: "request", prompt_tokens: 8, cost_usd: "1.5" })
      return lines(world, [first, ...more, last].join(""))
    },
    check: async (answer, world) => {
      await counted(2_502, 0)(answer, world)
      assert.deepEqual(await shown(world, ["request_count", "tokens_prompt", "total_usage"]), [
        { request_count: 2_501, tokens_prompt: 2_508, total_usage: 1.5 }
      ])
    }
  },
  {
    name: "more adjustments than a report may have",
    status: 413,
    run: async (world) => {
      await record(world, request)
      const many = Array.from({ length: 10_001 }, (_, n) => line({ id: `a${n}`, adjusts: "request", ...nothing }))
      return lines(world, many.join(""))
    },
    check: async ({ json }, world) => {
      const codes = json.error.metadata.issues.map(({ code }: { readonly code: string }) => code)
      assert.includeMembers(["too_many_adjustments", "too_many_lines"], codes)
      assert.deepInclude((await sumsOf(world))[0], { request_count: 1, total_usage: 2 })
    }
  },
  refusedAs("an adjustment of nothing that was recorded", (world) =>
    record(world, { id: "a", adjusts: "request" }, request)
  ),
  refusedAs("an adjustment of an adjustment", async (world) => {
    await record(world, request)
    await record(world, { id: "a", adjusts: "request", ...nothing })
    return record(world, { id: "b", adjusts: "a", ...nothing })
  }),
  refusedAs("an adjustment of another account's request", async (world) => {
    await record(await world.other(), request)
    return record(world, { id: "a", adjusts: "request", ...nothing })
  }),
  refusedAs("an adjustment of itself", (world) => record(world, { id: "a", adjusts: "a", ...nothing })),
  {
    name: "an adjustment that is repeated, also when its request is not named any more",
    status: 200,
    run: async (world) => {
      await record(world, request)
      await record(world, { id: "a", adjusts: "request", ...nothing })
      return record(world, { id: "a", adjusts: "gone" })
    },
    check: counted(0, 1)
  }
]
