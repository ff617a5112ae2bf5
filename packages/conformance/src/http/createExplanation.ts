import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { ask, explained, limitedKey, nowOf, openMarket, report, restrict } from "./admissionWorld.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "./Case.ts"
import { gatewayExplanationCases } from "./gatewayKeyCases.ts"

const body = { api_key_hash: "0".repeat(64), model: "acme/sonnet" }

export const createExplanation: CasesOf = {
  operation: "createExplanation",
  cases: [
    ...gatewayExplanationCases,
    {
      name: "what is allowed needs no change",
      status: 200,
      run: async (world) => explained(world, { model: (await openMarket(world)).sonnet }),
      check: ({ json: { data } }) => {
        assert.deepInclude(data, { decision: "allow", status: null, smallest_change: [], reasons: [] })
        assert.deepEqual(
          data.candidates.map(({ allowed }: { allowed: boolean }) => allowed),
          [true, true]
        )
        assert.deepEqual(data.regions, { ingress: "global", allowed: ["global", "europe", "us"] })
      }
    },
    {
      name: "every reason of every candidate, and the smallest change",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await restrict(world, { allowed_providers: ["xai"], enforce_zdr: true })
        return explained(world, { model, provider: { ignore: ["anthropic"] } })
      },
      check: ({ json: { data } }, world) => {
        const guardrail_id = world.default_guardrail_id
        const at = { scope: "workspace", guardrail_id }
        assert.deepInclude(data, { decision: "deny", status: 404 })
        assert.deepEqual(
          data.candidates.map(({ reasons }: { reasons: object[] }) => reasons),
          [
            [{ ...at, field: "allowed_providers", value: ["xai"] }],
            [
              { ...at, field: "allowed_providers", value: ["xai"] },
              { ...at, field: "enforce_zdr_anthropic", value: true },
              { scope: "request", guardrail_id: null, field: "provider.ignore", value: ["anthropic"] }
            ]
          ]
        )
        assert.deepEqual(data.smallest_change, [
          { ...at, field: "allowed_providers", from: ["xai"], to: ["xai", "openai"] }
        ])
      }
    },
    {
      name: "names that ignore nothing",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await restrict(world, { ignored_models: [model, "acme/nowhere"], ignored_providers: ["opneai", "OpenAI"] })
        return explained(world, { model })
      },
      check: ({ json: { data } }, world) => {
        const at = { scope: "workspace", guardrail_id: world.default_guardrail_id }
        assert.strictEqual(data.decision, "deny")
        assert.deepEqual(data.warnings, [
          { ...at, field: "ignored_models", value: "acme/nowhere" },
          { ...at, field: "ignored_providers", value: "opneai" }
        ])
      }
    },
    {
      name: "budgets with what is spent and held, and nothing changes",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const request = { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.5" }
        const first = await ask(world, request)
        await world.call("settleAdmission", { params: { id: first.json.data.id }, body: report(world, "0.125") })
        await ask(world, request)
        await explained(world, request)
        return explained(world, request)
      },
      check: ({ json: { data } }) => {
        const [budget] = data.budgets
        assert.deepInclude(budget, {
          scope: "key_limit",
          interval: "lifetime",
          limit_usd: "1",
          spent_usd: "0.125",
          held_usd: "0.5"
        })
        assert.deepInclude(data, { decision: "deny", status: 402 })
        assert.deepEqual(data.smallest_change, [
          { scope: "key_limit", guardrail_id: null, field: "limit", from: 1, to: 1.125 }
        ])
      }
    },
    {
      name: "budgets of the workspace, and larger ones that can be set",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const put = (interval: string, limit_usd: number) =>
          world.call("putWorkspaceBudget", { params: { id: "default", interval }, body: { limit_usd } })
        await put("daily", 1)
        await put("weekly", 2)
        const answer = await explained(world, { model, max_cost_usd: "5" })
        for (const { field, to } of answer.json.data.smallest_change.toReversed())
          assert.strictEqual((await put(field.replace("budgets.", ""), to)).status, 200)
        assert.strictEqual((await ask(world, { model, max_cost_usd: "5" })).json.data.decision, "allow")
        return answer
      },
      check: ({ json: { data } }) => assert.lengthOf(data.smallest_change, 2)
    },
    {
      name: "a filter that blocks, and the list without it",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await restrict(world, {
          content_filters: [
            { pattern: "one", action: "block" },
            { pattern: "two", action: "flag" }
          ]
        })
        return explained(world, { model, messages: [{ role: "user", content: "one and two" }] })
      },
      check: ({ json: { data } }) => {
        assert.deepInclude(data, { decision: "deny", status: 403 })
        assert.deepEqual(
          data.candidates.map(({ allowed }: { allowed: boolean }) => allowed),
          [false, false]
        )
        assert.lengthOf(data.findings, 2)
        const [edit] = data.smallest_change
        assert.strictEqual(edit.field, "content_filters")
        assert.deepEqual(edit.to, [{ pattern: "two", action: "flag", label: "[REDACTED]" }])
      }
    },
    {
      name: "every key that is to be used in place of shared capacity",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const key = "sk-first-000000000000"
        const made = [
          await world.call("createByokCredential", { body: { key, provider: "openai", is_required: true } }),
          await world.call("createByokCredential", { body: { key, provider: "openai", is_byok_only: true } })
        ]
        const answer = await explained(world, { model })
        const claims = made.map(({ json }, index) => `byok.${json.data.id}.${["is_required", "is_byok_only"][index]}`)
        assert.deepEqual(
          answer.json.data.candidates.map(({ reasons }: { reasons: { field: string }[] }) =>
            reasons.map(({ field }) => field)
          ),
          [[], [], claims, []]
        )
        return answer
      },
      check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
    },
    {
      name: "a rate that is used up, and what would be enough",
      status: 200,
      run: async (world) => {
        const { mini: model } = await openMarket(world)
        await world.call("putKeyRateLimits", {
          params: { hash: world.normalKeyHash },
          body: { requests_per_minute: 2, parallel_requests: 1 }
        })
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
        await world.call("putKeyRateLimits", {
          params: { hash: world.normalKeyHash },
          body: { requests_per_minute: 1 }
        })
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
    },
    {
      name: "a filter that blocks, and what the request would cost without it",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await restrict(world, {
          content_filters: [
            { pattern: "one", action: "block" },
            { pattern: "two", action: "redact", label: "a longer word" }
          ],
          limit_usd: 0.001,
          reset_interval: "daily"
        })
        const request = { model, messages: [{ role: "user", content: "one and two" }], max_completion_tokens: 1 }
        const answer = await explained(world, request)
        for (const { field, to } of answer.json.data.smallest_change)
          await restrict(world, { [field]: to, ...(field === "limit_usd" ? { reset_interval: "daily" } : {}) })
        assert.strictEqual((await ask(world, request)).json.data.decision, "allow")
        return answer
      },
      check: ({ json: { data } }) => {
        const limit = data.smallest_change.find(({ field }: { field: string }) => field === "limit_usd")
        // `[{"role":"user","content":"one and a longer word"}]` and a token, at a tenth of a cent.
        assert.strictEqual(limit.to, 0.052)
      }
    },
    {
      name: "a model that nobody serves, with the reason that an admission has",
      status: 200,
      run: (world) => explained(world, { model: "acme/nowhere" }),
      check: async ({ json: { data } }, world) => {
        const { reasons } = (await ask(world, { model: "acme/nowhere" })).json.data
        assert.deepEqual(reasons, [{ scope: "catalog", guardrail_id: null, field: "model", value: "acme/nowhere" }])
        assert.deepInclude(data, { decision: "deny", status: 404, candidates: [], reasons, smallest_change: null })
      }
    },
    {
      name: "a model that nobody serves, through a region that is closed",
      status: 200,
      run: async (world) => {
        await restrict(world, { allowed_data_regions: ["europe"] })
        return explained(world, { model: "acme/nowhere", ingress_region: "us" })
      },
      check: async ({ json: { data } }, world) => {
        const { status, reasons } = (await ask(world, { model: "acme/nowhere", ingress_region: "us" })).json.data
        assert.deepInclude(data, { decision: "deny", status: 403, reasons })
        assert.strictEqual(status, 403)
        assert.deepEqual(
          reasons.map(({ field }: { field: string }) => field),
          ["allowed_data_regions", "model"]
        )
      }
    },
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
          ["workspace", "key"]
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
    },
    {
      name: "a key nobody made",
      status: 200,
      run: (world) => explained(world, { ...body, api_key_hash: "f".repeat(64) }),
      check: ({ json }) => assert.deepInclude(json.data, { decision: "deny", status: 401, smallest_change: null })
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
          data.by_reason.map(({ field, blocked, blocked_usd }: Record<string, unknown>) => [
            field,
            blocked,
            blocked_usd
          ]),
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
    })),
    refused(
      "createExplanation",
      "neither a key nor a replay",
      { body: { model: "acme/sonnet" } },
      { path: "api_key_hash" }
    ),
    refused(
      "createExplanation",
      "a range without length",
      { body: { replay: { start: "2026-01-02T00:00:00Z", end: "2026-01-02T00:00:00Z" } } },
      { path: "replay.end", reason: "invalid_time_range" }
    ),
    ...["start", "end"].map((side) =>
      refused(
        "createExplanation",
        `an instant that is none: ${side}`,
        {
          body: {
            replay: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z", [side]: "2026-02-30T00:00:00Z" }
          }
        },
        { path: `replay.${side}`, reason: "invalid_time_range" }
      )
    ),
    refused(
      "createExplanation",
      "a patch that no guardrail takes",
      { body: { ...body, guardrail: { scope: "key", patch: { limit_usd: 1 } } } },
      { reason: "limit_reset_pair" }
    ),
    ...[{}, { replay: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" } }].map((fields) =>
      refused(
        "createExplanation",
        `a pattern that no guardrail takes, ${"replay" in fields ? "though nothing was recorded" : "though the key is unknown"}`,
        {
          body: {
            ...body,
            ...fields,
            guardrail: { scope: "key", patch: { content_filters: [{ pattern: "(?=a)", action: "block" }] } }
          }
        },
        { path: "guardrail.patch.content_filters.0.pattern", reason: "invalid_regex_pattern" }
      )
    ),
    ...managementOnly("createExplanation", () => ({ body })),
    storeGone("PolicySources", 500, (world) => explained(world, { model: "acme/sonnet" }))
  ]
}
