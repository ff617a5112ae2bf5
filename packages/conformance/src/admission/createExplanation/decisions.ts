/** What an explanation says of a request as things stand: every reason, every budget, and the smallest change. */
import { assert } from "@effect/vitest"
import { ask, explained, limitedKey, openMarket, report, restrict } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"

export const decisions: readonly Case[] = [
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
      assert.deepEqual(data.regions, { ingress: "global", allowed: ["global", "europe", "us"], missing: [] })
      assert.deepEqual(
        data.candidates.map(({ data_regions }: { data_regions: string[] }) => data_regions),
        [["global", "europe"], ["global"]]
      )
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
      assert.deepEqual(
        data.reasons.map(({ field }: { field: string }) => field),
        ["allowed_providers", "enforce_zdr_anthropic", "provider.ignore"]
      )
      assert.lengthOf(data.issues, 3)
      assert.deepEqual(data.smallest_change, [
        { ...at, field: "allowed_providers", from: ["xai"], to: ["xai", "openai"] }
      ])
    }
  },
  {
    name: "the reasons and issues of the admission, where a budget would refuse as well what policy refuses",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, { allowed_providers: ["xai"] })
      const request = { model, api_key_hash: await limitedKey(world, 0.01), max_cost_usd: "0.02" }
      const { status, error, reasons, issues } = (await ask(world, request)).json.data
      const answer = await explained(world, request)
      assert.deepInclude(answer.json.data, { decision: "deny", status, error, reasons, issues })
      return answer
    },
    check: ({ json: { data } }) =>
      assert.deepEqual(
        data.candidates[0].reasons.map(({ field }: { field: string }) => field),
        ["allowed_providers", "limit"]
      )
  },
  {
    name: "names that allow or ignore nothing",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, {
        allowed_models: [model, "acme/elsewhere"],
        allowed_providers: ["openai", "anthropc"],
        ignored_models: [model, "acme/nowhere"],
        ignored_providers: ["opneai", "OpenAI"]
      })
      return explained(world, { model })
    },
    check: ({ json: { data } }, world) => {
      const at = { scope: "workspace", guardrail_id: world.default_guardrail_id }
      assert.strictEqual(data.decision, "deny")
      assert.deepEqual(data.warnings, [
        { ...at, field: "allowed_models", value: "acme/elsewhere" },
        { ...at, field: "allowed_providers", value: "anthropc" },
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
      for (const { field, to } of answer.json.data.smallest_change)
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
    name: "a closed region, and the ingress that the request is to come in by",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, { allowed_data_regions: ["europe"] })
      const answer = await explained(world, { model })
      const [edit] = answer.json.data.smallest_change
      assert.strictEqual((await ask(world, { model, [edit.field]: edit.to })).json.data.decision, "allow")
      return answer
    },
    check: ({ json: { data } }) => {
      assert.deepInclude(data, { decision: "deny", status: 403 })
      assert.deepEqual(data.regions, { ingress: "global", allowed: ["europe"], missing: ["ingress"] })
      assert.deepEqual(data.smallest_change, [
        { scope: "request", guardrail_id: null, field: "ingress_region", from: "global", to: "europe" }
      ])
      const [{ message }] = data.issues
      assert.include(message, "GATEWARDEN_REGION=europe")
      assert.include(message, "/sonnet at openai/fp8")
    }
  },
  {
    name: "an endpoint that no requested model has in the region: no edit, and where to find one",
    status: 200,
    run: async (world) => {
      const { mini: model } = await openMarket(world)
      await restrict(world, { allowed_data_regions: ["europe"] })
      return explained(world, { model, ingress_region: "europe" })
    },
    check: async ({ json: { data } }, world) => {
      assert.deepInclude(data, { decision: "deny", status: 404, smallest_change: null })
      assert.deepEqual(data.regions, { ingress: "europe", allowed: ["europe"], missing: ["endpoint"] })
      assert.deepEqual(data.reasons, [
        { scope: "request", guardrail_id: null, field: "ingress_region", value: "europe" }
      ])
      assert.include(data.issues[0].message, "GET /models?region=eu")
      const closed = await explained(world, { model: data.candidates[0].model })
      assert.deepEqual(closed.json.data.regions.missing, ["ingress", "endpoint"])
      assert.isNull(closed.json.data.smallest_change)
      assert.include(closed.json.data.issues[0].message, "GET /models?region=eu")
    }
  },
  {
    name: "guardrails without a region in common: only their lists can be edited",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      await restrict(world, { allowed_data_regions: ["europe"] })
      return explained(world, {
        model,
        ingress_region: "europe",
        guardrail: { scope: "key", patch: { allowed_data_regions: ["us"] } }
      })
    },
    check: ({ json: { data } }) => {
      assert.deepEqual(data.regions, { ingress: "europe", allowed: [], missing: ["ingress"] })
      assert.deepEqual(
        data.smallest_change.map(({ field, to }: { field: string; to: string[] }) => [field, to]),
        [["allowed_data_regions", ["us", "europe"]]]
      )
    }
  }
]
