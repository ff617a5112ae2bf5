/** What budgets and rates let through, and what their denials tell. */
import { assert } from "@effect/vitest"
import { ask, explained, limitedKey, limitRates, openMarket, restrict } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"
import { byDefault, case200, denies } from "./scene.ts"

export const limits: readonly Case[] = [
  case200(
    "a key with a limit holds what it may cost",
    async ({ sonnet: model }, world) => ({
      model,
      api_key_hash: await limitedKey(world, 10),
      messages: [{ role: "user", content: "Hi" }],
      max_completion_tokens: 1000
    }),
    ({ json: { data } }) => {
      // 32 bytes of messages and 1,000 tokens at a tenth of a cent.
      assert.deepEqual(
        data.holds.map(({ scope, amount_usd }: { scope: string; amount_usd: string }) => [scope, amount_usd]),
        [["key_limit", "1.032"]]
      )
      assert.deepEqual(data.grant, { max_completion_tokens: 1000 })
      assert.isNull(data.holds[0].window_start)
    }
  ),
  case200(
    "without a cap: as many tokens as are paid for, and where nothing is paid for, as many as there are",
    async ({ sonnet: model }, world) => {
      assert.deepEqual((await ask(world, { model })).json.data.grant, { max_completion_tokens: null })
      return { model, api_key_hash: await limitedKey(world, 10), messages: [{ role: "user", content: "Hi" }] }
    },
    ({ json: { data } }) => {
      assert.deepEqual(data.grant, { max_completion_tokens: 4096 })
      assert.strictEqual(data.holds[0].amount_usd, "4.128")
    }
  ),
  case200(
    "more than the key's limit",
    async ({ sonnet: model }, world) => ({
      model,
      api_key_hash: await limitedKey(world, 1),
      max_cost_usd: "1.000000001"
    }),
    ({ json: { data } }) => {
      assert.deepInclude(data, { decision: "deny", status: 402 })
      assert.deepEqual(data.reasons, [{ scope: "key_limit", guardrail_id: null, field: "limit", value: 1 }])
    }
  ),
  case200(
    "a limit of less than a cent is told as it is",
    async ({ sonnet: model }, world) => ({ model, api_key_hash: await limitedKey(world, 0.0025), max_cost_usd: "1" }),
    ({ json: { data } }) =>
      assert.strictEqual(
        data.error.message,
        "Key limit of $0.0025 exceeded. This request reserves $1.00; $0.0025 of the limit is left. Lower max_tokens or shorten the prompt, or raise the limit."
      )
  ),
  case200(
    "without a cap: the tokens that are assumed, what is left and the way out are told",
    async ({ sonnet: model }, world) => {
      const api_key_hash = await limitedKey(world, 5)
      await ask(world, { model, api_key_hash, max_cost_usd: "1.5" })
      return { model, api_key_hash, messages: [{ role: "user", content: "Hi" }] }
    },
    ({ json: { data } }) => {
      const missing =
        "This request reserves $4.128 (4,096 output tokens are assumed, because it sends no max_tokens); " +
        "$3.50 of the limit is left, with $1.50 held by requests in flight. Send max_tokens, or raise the limit."
      assert.strictEqual(data.error.message, `Key limit of $5.00 exceeded. ${missing}`)
      assert.deepEqual(data.error.metadata.budget, {
        limit_usd: "5",
        left_usd: "3.5",
        reserved_usd: "4.128",
        assumed_completion_tokens: 4096
      })
      assert.deepEqual(data.issues, [
        { path: "limit", code: "key_limit", message: `The key's limit is $5.00. ${missing}` }
      ])
    }
  ),
  case200(
    "a budget of nothing",
    ({ sonnet: model }) => ({ model, max_cost_usd: "0.01" }),
    (answer, world) =>
      denies(
        403,
        ["workspace_default_member", "workspace_default_key"].map((scope) => ({
          ...byDefault(world, "limit_usd", 0),
          scope
        }))
      )(answer, world),
    (world) => restrict(world, { limit_usd: 0, reset_interval: "daily" })
  ),
  case200(
    "a budget and its day",
    ({ sonnet: model }) => ({ model, max_cost_usd: "0.25" }),
    ({ json: { data } }, world) => {
      const held = {
        guardrail_id: world.default_guardrail_id,
        window_start: `${new Date(world.installation.clock.now).toISOString().slice(0, 10)}T00:00:00.000Z`,
        amount_usd: "0.25"
      }
      assert.deepEqual(data.holds, [
        { scope: "workspace_default_member", entity: "user-1", ...held },
        { scope: "workspace_default_key", entity: world.normalKeyHash, ...held }
      ])
    },
    (world) => restrict(world, { limit_usd: 1, reset_interval: "daily" })
  ),
  {
    name: "as often as the key's rate has it",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await limitRates(world, { parallel_requests: 1 })
      const first = await ask(world, { model })
      assert.strictEqual((await ask(world, { model })).json.data.status, 429)
      await world.call("cancelAdmission", { params: { id: first.json.data.id } })
      assert.strictEqual((await ask(world, { model })).json.data.decision, "allow")
      return ask(world, { model })
    },
    check: async (answer, world) => {
      denies(429, [{ scope: "rate_limit", guardrail_id: null, field: "parallel_requests", value: 1 }])(answer, world)
      assert.deepInclude(answer.json.data.error.metadata, {
        rate_limits: [{ field: "parallel_requests", limit: 1 }],
        retry_after_seconds: 1
      })
    }
  },
  {
    name: "above the key's rate: the limit is named, and when its oldest request leaves the minute",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await limitRates(world, { requests_per_minute: 1 })
      await ask(world, { model })
      world.installation.clock.now += 10_000
      return ask(world, { model })
    },
    check: ({ json: { data } }) => {
      assert.deepInclude(data, { decision: "deny", status: 429 })
      assert.deepInclude(data.error.metadata, {
        rate_limits: [{ field: "requests_per_minute", limit: 1 }],
        retry_after_seconds: 50
      })
      assert.include(data.issues[0].message, "1 requests per minute is used up")
    }
  },
  {
    name: "above the key's tokens per minute: content elsewhere counts as the whole context, as a hold counts it",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await limitRates(world, { tokens_per_minute: 2_000 })
      const asking = (...parts: readonly object[]) => ({
        model,
        messages: [{ role: "user", content: [{ type: "text", text: "Hi" }, ...parts] }],
        max_completion_tokens: 10
      })
      assert.strictEqual((await ask(world, asking())).json.data.decision, "allow")
      const file = { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } }
      assert.strictEqual((await explained(world, asking(file))).json.data.status, 429)
      return ask(world, asking(file))
    },
    check: denies(429, [{ scope: "rate_limit", guardrail_id: null, field: "tokens_per_minute", value: 2_000 }])
  },
  {
    name: "what money denies takes no place in the key's rate",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const hash = await limitedKey(world, 1)
      await limitRates(world, { parallel_requests: 1, requests_per_minute: 1 }, hash)
      const request = { model, api_key_hash: hash }
      assert.strictEqual((await ask(world, { ...request, max_cost_usd: "1.5" })).json.data.status, 402)
      return ask(world, { ...request, max_cost_usd: "0.5" })
    },
    check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
  },
  {
    name: "one after the other until the limit is held",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const request = { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.4" }
      assert.strictEqual((await ask(world, request)).json.data.decision, "allow")
      const second = await ask(world, request)
      assert.strictEqual((await ask(world, request)).json.data.status, 402)
      await world.call("cancelAdmission", { params: { id: second.json.data.id } })
      return ask(world, request)
    },
    check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
  },
  {
    name: "beside what is in flight, whichever limit and interval it was held under",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const hash = await limitedKey(world, 1, { limit_reset: "daily" })
      const request = { model, api_key_hash: hash, max_cost_usd: "0.6" }
      const decided = async (cost: string) => {
        const asked = { ...request, max_cost_usd: cost }
        const [told, { data }] = [await explained(world, asked), (await ask(world, asked)).json]
        assert.strictEqual(told.json.data.decision, data.decision)
        await world.call("cancelAdmission", { params: { id: data.id } })
        return [cost, data.decision]
      }
      assert.strictEqual((await ask(world, request)).json.data.decision, "allow")
      for (const limit_reset of ["weekly", "monthly", null, "daily"]) {
        await world.call("updateKey", { params: { hash }, body: { limit_reset } })
        assert.deepEqual(
          [await decided("0.41"), await decided("0.4")],
          [
            ["0.41", "deny"],
            ["0.4", "allow"]
          ]
        )
      }
      await world.call("updateKey", { params: { hash }, body: { limit: 100 } })
      await restrict(world, { limit_usd: 0.9, reset_interval: "monthly" })
      assert.deepEqual(
        [await decided("0.31"), await decided("0.3")],
        [
          ["0.31", "deny"],
          ["0.3", "allow"]
        ]
      )
      await world.call("putWorkspaceBudget", {
        params: { id: "default", interval: "lifetime" },
        body: { limit_usd: 0.8 }
      })
      assert.deepEqual(
        [await decided("0.21"), await decided("0.2")],
        [
          ["0.21", "deny"],
          ["0.2", "allow"]
        ]
      )
      return ask(world, { ...request, max_cost_usd: "0.21" })
    },
    check: ({ json: { data } }) =>
      assert.deepEqual(
        data.reasons.map(({ scope }: { scope: string }) => scope),
        ["workspace_budget"]
      )
  }
]
