/** Recorded usage under a guardrail as it is proposed to be. */
import { assert } from "@effect/vitest"
import { analyticsTimeoutMillis } from "../../usage/analyticsTimeoutMillis.ts"
import { skipSleep } from "../../HandClock.ts"
import type { Answer, World } from "../../World.ts"
import { limitedKey, openMarket, report, nowOf } from "../admissionWorld.ts"
import { type Case, reasonIs } from "../../http/Case.ts"

export const replays: readonly Case[] = [
  {
    name: "a replay that runs too long, whichever page of it does",
    status: 408,
    run: async (world) => {
      world.installation.faults.stall("UsageHistory")
      skipSleep(world.installation.clock, analyticsTimeoutMillis)
      try {
        const replay = { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" }
        return await world.call("createExplanation", { body: { replay } })
      } finally {
        world.installation.faults.mend()
      }
    },
    check: reasonIs("analytics_timeout")
  },
  {
    name: "recorded usage under a proposed change",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const of = (id: string, provider: string, cost_usd: string) => ({
        ...report(world, cost_usd, { model, provider }).event,
        id,
        api_key_hash: world.normalKeyHash
      })
      await world.call("recordUsageEvents", {
        body: { events: [of("a", "openai", "0.5"), of("b", "anthropic", "0.25"), of("c", "anthropic", "0.125")] }
      })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      return world.call("createExplanation", {
        body: {
          replay: { start: nowOf(world), end },
          guardrail: { scope: "workspace", patch: { ignored_providers: ["anthropic"] } }
        }
      })
    },
    check: ({ json: { data } }, world) => {
      assert.deepInclude(data, { events: 3, blocked: 2, blocked_usd: "0.375" })
      assert.deepEqual(data.keys, [{ api_key_hash: world.normalKeyHash, blocked: 2, blocked_usd: "0.375" }])
      assert.deepEqual(data.by_reason, [
        {
          scope: "workspace",
          guardrail_id: world.default_guardrail_id,
          field: "ignored_providers",
          blocked: 2,
          blocked_usd: "0.375"
        }
      ])
    }
  },
  {
    name: "recorded usage of several keys, those first that cost the most",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const dear = await limitedKey(world, 5)
      const of = (id: string, api_key_hash: string, cost_usd: string, fields: object = {}) => ({
        ...report(world, cost_usd, { model, ...fields }).event,
        id,
        api_key_hash
      })
      const elsewhere = { provider: "elsewhere" }
      await world.call("recordUsageEvents", {
        body: {
          events: [
            of("a", world.normalKeyHash, "0.25", { provider: "anthropic" }),
            of("b", dear, "0", { ...elsewhere, byok: true, byok_cost_usd: "1.5" }),
            // Nobody knows what happens to it there.
            of("c", dear, "0.125", { ...elsewhere, model: "acme/unknown" }),
            of("d", dear, "4"),
            of("e", dear, "8", { ...elsewhere, status: "blocked" })
          ]
        }
      })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      const replayed = await world.call("createExplanation", {
        body: {
          replay: { start: nowOf(world), end },
          guardrail: {
            scope: "workspace",
            patch: { ignored_providers: ["elsewhere", "anthropic"], enable_paid_model_training: false }
          }
        }
      })
      return Object.assign(replayed, { dear })
    },
    check: (answer, world) => {
      const { data } = answer.json
      assert.deepInclude(data, { events: 5, blocked: 3, blocked_usd: "1.875" })
      assert.deepEqual(data.keys, [
        { api_key_hash: (answer as typeof answer & { dear: string }).dear, blocked: 2, blocked_usd: "1.625" },
        { api_key_hash: world.normalKeyHash, blocked: 1, blocked_usd: "0.25" }
      ])
      assert.deepEqual(
        data.by_reason.map(({ field, blocked, blocked_usd }: Record<string, unknown>) => [field, blocked, blocked_usd]),
        [
          ["ignored_providers", 3, "1.875"],
          ["enable_paid_model_training", 2, "1.625"]
        ]
      )
    }
  },
  {
    name: "recorded usage under a proposed budget",
    status: 200,
    run: async (world) => {
      const of = (id: string) => ({ ...report(world, "0.4").event, id, api_key_hash: world.normalKeyHash })
      await world.call("recordUsageEvents", { body: { events: [of("a"), of("b"), of("c")] } })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      return world.call("createExplanation", {
        body: {
          replay: { start: nowOf(world), end },
          guardrail: { scope: "key", patch: { limit_usd: 1, reset_interval: "daily" } }
        }
      })
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { events: 3, blocked: 1, blocked_usd: "0.4" })
  },
  {
    name: "all usage there ever was",
    status: 200,
    run: async (world) => {
      const events = ["0000-02-29T00:00:00Z", nowOf(world)].map((created_at) => ({
        ...report(world, "0.4").event,
        id: created_at,
        created_at
      }))
      await world.call("recordUsageEvents", { body: { events } })
      return world.call("createExplanation", {
        body: { replay: { start: "0000-01-01T00:00:00Z", end: "9999-12-31T23:59:59Z" } }
      })
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { events: 2, blocked: 0 })
  },
  {
    name: "recorded usage under a proposed budget, each day with its own",
    status: 200,
    run: async (world) => {
      const { now } = world.installation.clock
      const at = (id: string, day: number) => ({
        ...report(world, "0.4", { created_at: new Date(now - day * 86_400_000).toISOString() }).event,
        id,
        api_key_hash: world.normalKeyHash
      })
      const events = [at("a", 1), at("b", 1), at("c", 0), at("d", 0), at("e", 0)]
      await world.call("recordUsageEvents", { body: { events } })
      const [start, end] = [now - 86_400_000, now + 1000].map((instant) => new Date(instant).toISOString())
      return world.call("createExplanation", {
        body: {
          replay: { start, end },
          guardrail: { scope: "key", patch: { limit_usd: 1, reset_interval: "daily" } }
        }
      })
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { events: 5, blocked: 1, blocked_usd: "0.4" })
  },
  {
    name: "what a window was charged before the range, although the proposed policy forbids it",
    status: 200,
    run: async (world) => {
      const of = (id: string, minutes: number, cost_usd: string, fields: object = {}) => {
        const created_at = new Date(world.installation.clock.now - minutes * 60_000).toISOString()
        return { ...report(world, cost_usd, { created_at, ...fields }).event, id, api_key_hash: world.normalKeyHash }
      }
      const events = [of("a", 3, "0.7", { provider: "elsewhere" }), of("b", 2, "0.7"), of("c", 0, "0.1")]
      await world.call("recordUsageEvents", { body: { events } })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      return world.call("createExplanation", {
        body: {
          replay: { start: nowOf(world), end },
          guardrail: {
            scope: "key",
            patch: { limit_usd: 1, reset_interval: "daily", ignored_providers: ["elsewhere"] }
          }
        }
      })
    },
    check: ({ json: { data } }) => assert.deepInclude(data, { events: 1, blocked: 1, blocked_usd: "0.1" })
  },
  {
    name: "recorded usage under a budget that never resets, spent long before",
    status: 200,
    run: async (world) => {
      const dear = await limitedKey(world, 1)
      const of = (id: string, api_key_hash: string, day: number, cost_usd: string, fields: object = {}) => {
        const created_at = new Date(world.installation.clock.now - day * 86_400_000).toISOString()
        return { ...report(world, cost_usd, { created_at, ...fields }).event, id, api_key_hash }
      }
      await world.call("recordUsageEvents", {
        body: {
          events: [
            of("a", dear, 400, "0.5"),
            of("b", dear, 300, "0", { byok: true, byok_cost_usd: "9" }),
            of("c", world.normalKeyHash, 200, "9"),
            of("d", dear, 0, "0.25"),
            of("e", dear, 0, "0.5"),
            of("f", dear, 0, "0.25"),
            of("g", world.normalKeyHash, 0, "9")
          ]
        }
      })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      return world.call("createExplanation", { body: { replay: { start: nowOf(world), end } } })
    },
    check: ({ json: { data } }) => {
      assert.deepInclude(data, { events: 4, blocked: 1, blocked_usd: "0.5" })
      assert.deepEqual(
        data.by_reason.map(({ scope, field }: Record<string, unknown>) => [scope, field]),
        [["key_limit", "limit"]]
      )
    }
  },
  {
    name: "recorded usage of one key under a budget that others spend too",
    status: 200,
    run: async (world) => {
      const others = await limitedKey(world, 100)
      const gone = await limitedKey(world, 100)
      await world.call("putWorkspaceBudget", { params: { id: "default", interval: "daily" }, body: { limit_usd: 1 } })
      const of = (id: string, api_key_hash: string, cost_usd: string) => ({
        ...report(world, cost_usd).event,
        id,
        api_key_hash
      })
      await world.call("recordUsageEvents", {
        body: {
          events: [
            of("a", others, "0.5"),
            of("b", gone, "0.25"),
            of("c", world.normalKeyHash, "0.25"),
            of("d", world.normalKeyHash, "0.125")
          ]
        }
      })
      await world.call("deleteKey", { params: { hash: gone } })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      return world.call("createExplanation", {
        body: { api_key_hash: world.normalKeyHash, replay: { start: nowOf(world), end } }
      })
    },
    check: ({ json: { data } }, world) => {
      assert.deepInclude(data, { events: 2, blocked: 1, blocked_usd: "0.125" })
      assert.deepEqual(data.keys, [{ api_key_hash: world.normalKeyHash, blocked: 1, blocked_usd: "0.125" }])
    }
  },
  ...[
    // A Wednesday, after a Monday in the same month.
    { now: "2026-03-04T12:00:00.000Z", before: "2026-03-01T12:00:00.000Z", reset_interval: "monthly" },
    // A Wednesday, after a Monday in the month before.
    { now: "2026-04-01T12:00:00.000Z", before: "2026-03-30T12:00:00.000Z", reset_interval: "weekly" }
  ].map(({ now, before, reset_interval }) => ({
    name: `recorded usage in a window that began before it: ${reset_interval}`,
    status: 200,
    run: async (world: World) => {
      world.installation.clock.now = Date.parse(now)
      const of = (id: string, created_at: string, cost_usd: string) => ({
        ...report(world, cost_usd, { created_at }).event,
        id,
        api_key_hash: world.normalKeyHash
      })
      await world.call("recordUsageEvents", { body: { events: [of("a", before, "0.75"), of("b", now, "0.5")] } })
      return world.call("createExplanation", {
        body: {
          replay: { start: now, end: new Date(Date.parse(now) + 1000).toISOString() },
          guardrail: { scope: "key", patch: { limit_usd: 1, reset_interval } }
        }
      })
    },
    check: ({ json: { data } }: Answer) => assert.deepInclude(data, { events: 1, blocked: 1, blocked_usd: "0.5" })
  }))
]
