import { assert } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "../model/catalogModel.ts"
import type { World } from "../World.ts"
import { denialReasonCases } from "./denialReasons.ts"
import { ask, limitedKey, openMarket, restrict } from "./admissionWorld.ts"
import { boundCases } from "./admissionBounds.ts"
import { type Case, type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { availabilities } from "./createAdmission/availability.ts"
import { filterCases } from "./createAdmission/filters.ts"
import { limits } from "./createAdmission/limits.ts"
import { regions } from "./createAdmission/regions.ts"
import { routing } from "./createAdmission/routing.ts"
import { serverToolCases } from "./createAdmission/serverTools.ts"
import { case200, sonnet, denies, byDefault, goes } from "./createAdmission/scene.ts"
import { gatewayAdmissionCases } from "../access/gatewayKeyCases.ts"
import { newKeyHash, nowIn } from "../key/keyStates.ts"
import { sha256Hex } from "../http/sha256.ts"

const body = { api_key_hash: "0".repeat(64), model: "acme/sonnet" }

const bad = (name: string, fields: object, path: string): Case =>
  refused("createAdmission", name, { body: { ...body, ...fields } }, { path, reason: "invalid_request" })

export const createAdmission: CasesOf = {
  operation: "createAdmission",
  cases: [
    ...denialReasonCases,
    ...availabilities,
    ...gatewayAdmissionCases,
    ...serverToolCases,
    ...regions,
    case200("every endpoint, in the catalog's order", sonnet, goes("openai", "anthropic")),
    case200(
      "with a fallback model",
      ({ sonnet: model, mini }) => ({ model: mini, models: [model] }),
      goes("anthropic", "openai", "anthropic")
    ),
    {
      name: "the key itself, which decides as its hash does and is in no answer",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const asked = { model, max_completion_tokens: 10 }
        const hashed = await world.call("createAdmission", { body: { ...asked, api_key_hash: world.normalKeyHash } })
        const named = await world.call("createAdmission", { body: { ...asked, api_key: world.normalKey } })
        assert.deepEqual(named.json.data.candidates, hashed.json.data.candidates)
        assert.strictEqual(named.json.data.decision, "allow")
        assert.notInclude(JSON.stringify(named.json), world.normalKey)
        const explained = await world.call("createExplanation", { body: { ...asked, api_key: world.normalKey } })
        assert.strictEqual(explained.json.data.decision, "allow")
        return world.call("createAdmission", { body: { ...asked, api_key: "gw-v1-of-nobody" } })
      },
      check: ({ json: { data } }) => {
        assert.deepInclude(data, { decision: "deny", status: 401 })
        assert.strictEqual(data.error.metadata.reason, "invalid_api_key")
      }
    },
    refused(
      "createAdmission",
      "two names of a key",
      { body: { ...body, api_key: "gw-v1-of-nobody" } },
      { path: "api_key", reason: "invalid_request" }
    ),
    refused(
      "createAdmission",
      "no key",
      { body: { model: "acme/sonnet" } },
      { path: "api_key_hash", reason: "invalid_request" }
    ),
    case200("ten minutes, by default", sonnet, ({ json }, world) => {
      assert.strictEqual(Date.parse(json.data.expires_at) - world.installation.clock.now, 600_000)
      assert.match(json.data.id, /^[A-Za-z0-9_-]{1,128}$/)
    }),
    case200(
      "messages come back as they were",
      ({ sonnet: model }) => ({ model, messages: [{ role: "user", content: "Hello" }] }),
      ({ json }) => assert.deepEqual(json.data.messages, [{ role: "user", content: "Hello" }])
    ),
    case200(
      "a preset's model and preferences",
      async ({ sonnet: model }, world) => {
        await world.call("createPreset", {
          params: { slug: "support" },
          body: { model, provider: { ignore: ["openai"] }, messages: [{ role: "system", content: "Be brief." }] }
        })
        return { model: "@preset/support", messages: [{ role: "user", content: "Hello" }] }
      },
      (answer, world) => {
        goes("anthropic")(answer, world)
        assert.deepEqual(answer.json.data.messages[0], { role: "system", content: "Be brief." })
      }
    ),
    case200(
      "the order and exclusions of the request",
      ({ sonnet: model }) => ({ model, provider: { order: ["anthropic"] } }),
      goes("anthropic", "openai")
    ),
    case200(
      "nothing beyond the order",
      ({ sonnet: model }) => ({ model, provider: { order: ["anthropic"], allow_fallbacks: false } }),
      goes("anthropic")
    ),
    case200(
      "the workspace's own keys first, then shared capacity, then fallback keys",
      async ({ sonnet: model }, world) => {
        await world.call("createByokCredential", { body: { key: "sk-first-000000000000", provider: "anthropic" } })
        await world.call("createByokCredential", {
          body: { key: "sk-last-0000000000000", provider: "openai", is_fallback: true }
        })
        return { model }
      },
      (answer, world) => {
        goes("anthropic", "openai", "anthropic", "openai")(answer, world)
        assert.deepEqual(
          answer.json.data.candidates.map(({ source }: { source: string }) => source),
          ["byok", "shared", "shared", "byok"]
        )
        assert.notInclude(answer.text, "sk-first-0")
      }
    ),
    ...(
      [
        ["is_required", "byok", "shared"],
        // It claims its provider for models that it does not cover, too.
        ["is_byok_only", "byok"]
      ] as const
    ).map(([field, ...sources]) =>
      case200(
        `a key in place of its provider's shared capacity, not of another's: ${field}`,
        async ({ sonnet: model }, world) => {
          await world.call("createByokCredential", {
            body: { key: "sk-first-000000000000", provider: "anthropic", [field]: true }
          })
          await world.call("createByokCredential", {
            body: { key: "sk-other-000000000000", provider: "openai", [field]: true, allowed_models: ["acme/other"] }
          })
          return { model }
        },
        (answer, world) => {
          goes(...["anthropic", "openai"].slice(0, sources.length))(answer, world)
          assert.deepEqual(
            answer.json.data.candidates.map(({ source }: { source: string }) => source),
            sources
          )
        }
      )
    ),
    case200("a provider that the default guardrail ignores", sonnet, goes("openai"), (world) =>
      restrict(world, { ignored_providers: ["anthropic"] })
    ),
    case200("retention that it forbids", sonnet, goes("openai"), (world) => restrict(world, { enforce_zdr: true })),
    case200(
      "retention that it forbids, as the owner of a key declares it of the provider's account",
      async ({ sonnet: model }, world) => {
        await world.call("createByokCredential", {
          body: { key: "sk-kept-0000000000000", provider: "openai", declared_zdr: false }
        })
        await world.call("createByokCredential", {
          body: { key: "sk-none-0000000000000", provider: "anthropic", declared_zdr: true }
        })
        return { model }
      },
      (answer, world) => {
        goes("anthropic", "openai")(answer, world)
        assert.deepEqual(
          answer.json.data.candidates.map(({ source }: { source: string }) => source),
          ["byok", "shared"]
        )
      },
      (world) => restrict(world, { enforce_zdr: true })
    ),
    case200(
      "no provider that it allows",
      sonnet,
      (answer, world) => denies(404, [byDefault(world, "allowed_providers", ["xai"])])(answer, world),
      (world) => restrict(world, { allowed_providers: ["xai"] })
    ),
    {
      name: "a model that it ignores, by either of its names, asked for by either",
      status: 200,
      run: async (world) => {
        const id = `acme/${crypto.randomUUID()}`
        const canonical_slug = `${id}-2026`
        await world.call("putCatalog", {
          body: {
            models: [
              { ...catalogModel(id), canonical_slug, endpoints: [catalogEndpoint("openai")] },
              { ...catalogModel("acme/sonnet"), endpoints: [catalogEndpoint("openai")] }
            ]
          }
        })
        for (const name of [id, canonical_slug]) {
          await restrict(world, { ignored_models: [name] })
          for (const model of [id, canonical_slug])
            denies(404, [byDefault(world, "ignored_models", name)])(await ask(world, { model }), world)
          await restrict(world, { ignored_models: null, allowed_models: [name] })
          for (const model of [id, canonical_slug]) goes("openai")(await ask(world, { model }), world)
          await restrict(world, { allowed_models: null })
        }
        await restrict(world, { ignored_models: [canonical_slug] })
        for (const name of [id.toUpperCase(), `${id} `]) {
          const tools = [{ type: "openrouter:subagent", parameters: { model: name } }]
          denies(403, [byDefault(world, "ignored_models", canonical_slug)])(
            await ask(world, { model: "acme/sonnet", tools }),
            world
          )
        }
        const named = `${id}@preset/x`
        const plugins = [{ id: "fusion", models: [named] }]
        denies(400, [{ scope: "request", guardrail_id: null, field: "tools.models", value: named }])(
          await ask(world, { model: "acme/sonnet", plugins }),
          world
        )
        await restrict(world, { ignored_models: null, allowed_models: ["acme/other"] })
        return ask(world, { model: canonical_slug })
      },
      check: (answer, world) => denies(404, [byDefault(world, "allowed_models", ["acme/other"])])(answer, world)
    },
    case200(
      "training on what is free",
      ({ mini: model }) => ({ model }),
      (answer, world) => denies(404, [byDefault(world, "enable_free_model_training", false)])(answer, world),
      (world) => restrict(world, { enable_free_model_training: false })
    ),
    case200(
      "a region that is closed",
      ({ sonnet: model }) => ({ model, ingress_region: "us" }),
      (answer, world) => denies(403, [byDefault(world, "allowed_data_regions", ["europe"])])(answer, world),
      (world) => restrict(world, { allowed_data_regions: ["europe"] })
    ),
    case200(
      "a region that is open, and served there",
      ({ sonnet: model }) => ({ model, ingress_region: "europe" }),
      goes("openai"),
      (world) => restrict(world, { allowed_data_regions: ["europe"] })
    ),
    case200(
      "a model that nobody serves",
      () => ({ model: "acme/nowhere" }),
      denies(404, [{ scope: "catalog", guardrail_id: null, field: "model", value: "acme/nowhere" }])
    ),
    case200(
      "several models that nobody serves",
      () => ({ model: "acme/nowhere", models: ["acme/nothing"] }),
      denies(404, [{ scope: "catalog", guardrail_id: null, field: "model", value: ["acme/nowhere", "acme/nothing"] }])
    ),
    case200(
      "no model",
      () => ({}),
      denies(400, [{ scope: "request", guardrail_id: null, field: "model", value: null }])
    ),
    case200(
      "a preset that is not there",
      () => ({ preset: "missing" }),
      denies(404, [{ scope: "request", guardrail_id: null, field: "preset", value: "missing" }])
    ),
    case200(
      "a version of a preset that is not there",
      async (_, world) => {
        await world.call("createPreset", {
          params: { slug: "support" },
          body: { messages: [{ role: "system", content: "Be brief." }] }
        })
        return { preset: "support:2" }
      },
      denies(404, [{ scope: "request", guardrail_id: null, field: "preset", value: "support:2" }])
    ),
    case200(
      "a preset with a preference that nobody can read, which may be a restriction",
      async ({ sonnet: model }, world) => {
        await world.call("createPreset", {
          params: { slug: "support" },
          body: {
            messages: [{ role: "user", content: "Hello" }],
            model,
            provider: { only: ["anthropic"], allow_fallbacks: "no" }
          }
        })
        return { preset: "support" }
      },
      denies(400, [{ scope: "request", guardrail_id: null, field: "provider.allow_fallbacks", value: "no" }])
    ),
    case200(
      "a key nobody made",
      ({ sonnet: model }) => ({ model, api_key_hash: "f".repeat(64) }),
      denies(401, [{ scope: "key", guardrail_id: null, field: "api_key_hash", value: null }])
    ),
    ...Object.entries({
      disabled: [(world: World) => newKeyHash(world, { disabled: true }), true],
      expires_at: [(world: World) => newKeyHash(world, { expires_at: nowIn(world) }), null]
    } as const).map(([field, [hash, value]]) =>
      case200(
        `a key that is not let in any more: ${field}`,
        async ({ sonnet: model }, world) => ({ model, api_key_hash: await hash(world) }),
        (answer, world) =>
          denies(401, [{ scope: "key", guardrail_id: null, field, value: value ?? nowIn(world) }])(answer, world)
      )
    ),
    case200(
      "a management key",
      async ({ sonnet: model }, { managementKey }) => ({ model, api_key_hash: await sha256Hex(managementKey) }),
      denies(403, [{ scope: "key", guardrail_id: null, field: "kind", value: "management" }])
    ),
    ...(["model", "preset"] as const).map((field) =>
      case200(
        `a preset that no name can be of: ${field}`,
        () => ({ [field]: "@preset/a b" }),
        denies(400, [{ scope: "request", guardrail_id: null, field, value: "@preset/a b" }])
      )
    ),
    {
      name: "a key of another account is one nobody made",
      status: 200,
      run: async (world) => ask(world, { model: "acme/sonnet", api_key_hash: (await world.other()).normalKeyHash }),
      check: denies(401, [{ scope: "key", guardrail_id: null, field: "api_key_hash", value: null }])
    },
    ...limits,
    case200(
      "what a filter redacts leaves as its label",
      ({ sonnet: model }) => ({ model, messages: [{ role: "user", content: "I am ada@example.com" }] }),
      ({ json: { data } }, world) => {
        assert.deepEqual(data.messages, [{ role: "user", content: "I am [EMAIL]" }])
        assert.deepEqual(data.findings, [
          { guardrail_id: world.default_guardrail_id, filter: "email", action: "redact", count: 1 }
        ])
      },
      (world) => restrict(world, { content_filter_builtins: [{ slug: "email", action: "redact" }] })
    ),
    case200(
      "what a filter blocks",
      ({ sonnet: model }) => ({ model, messages: [{ role: "user", content: "acct-123456" }] }),
      ({ json: { data } }, world) => {
        assert.deepInclude(data, { decision: "deny", status: 403, messages: null })
        assert.strictEqual(data.error.message, "Request blocked by content filter: account number")
        assert.deepEqual(data.reasons, [
          byDefault(world, "content_filters.0", { pattern: "acct-[0-9]{6}", action: "block", label: "account number" })
        ])
      },
      (world) =>
        restrict(world, { content_filters: [{ pattern: "acct-[0-9]{6}", action: "block", label: "account number" }] })
    ),
    ...routing,
    ...filterCases,
    ...boundCases,
    bad("a hash that is none", { api_key_hash: "abc" }, "api_key_hash"),
    bad("held for too short", { hold_seconds: 29 }, "hold_seconds"),
    bad("held for too long", { hold_seconds: 3601 }, "hold_seconds"),
    bad("a region that is none", { ingress_region: "mars" }, "ingress_region"),
    bad("a negative cost", { max_cost_usd: "-1" }, "max_cost_usd"),
    bad("messages that are none", { messages: [{ role: "wizard", content: "" }] }, "messages.0.role"),
    refused("createAdmission", "no hash", { body: { model: "acme/sonnet" } }, { path: "api_key_hash" }),
    ...managementOnly("createAdmission", () => ({ body })),
    {
      name: "once for an Idempotency-Key, with messages that are scanned again and not stored",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const filtering = (action: string) =>
          restrict(world, { content_filter_builtins: [{ slug: "email", action }], limit_usd: 10, reset_interval: null })
        await filtering("redact")
        const admit = () =>
          world.call("createAdmission", {
            body: {
              api_key_hash: world.normalKeyHash,
              model,
              max_completion_tokens: 10,
              messages: [{ role: "user", content: "Write to jane@example.com" }]
            },
            headers: { "idempotency-key": "once" }
          })
        const first = await admit()
        assert.notInclude(first.text, "jane@example.com")
        const second = await admit()
        assert.deepEqual([second.text, second.headers.get("idempotent-replayed")], [first.text, "true"])
        await filtering("block")
        const third = await admit()
        assert.deepInclude(third.json.data, { id: first.json.data.id, decision: "deny", messages: null })
        return third
      }
    },
    {
      name: "once for an Idempotency-Key: with the version of its preset that the hold is for",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const designate = (content: string, tools?: readonly object[]) =>
          world.call("createPreset", {
            key: world.normalKey,
            params: { slug: "once" },
            body: { model, ...(tools && { tools }), messages: [{ role: "system", content }] }
          })
        const admit = () =>
          world.call("createAdmission", {
            body: {
              api_key_hash: world.normalKeyHash,
              preset: "once",
              max_completion_tokens: 10,
              messages: [{ role: "user", content: "hi" }]
            },
            headers: { "idempotency-key": "once" }
          })
        await designate("short")
        const first = await admit()
        await designate("longer ".repeat(1_000), [{ type: "openrouter:web_search" }])
        const second = await admit()
        assert.deepEqual([second.text, second.headers.get("idempotent-replayed")], [first.text, "true"])
        return second
      }
    },
    {
      name: "once for an Idempotency-Key: the same after its hold has ended, which a renewal tells",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        const body = { api_key_hash: await limitedKey(world, 1), model, max_cost_usd: "0.5" }
        const admit = () => world.call("createAdmission", { body, headers: { "idempotency-key": "once" } })
        const first = await admit()
        const { id } = first.json.data
        const renew = () => world.call("renewAdmission", { params: { id }, body: { hold_seconds: 60 } })
        assert.strictEqual((await renew()).status, 200)
        await world.call("cancelAdmission", { params: { id } })
        const second = await admit()
        assert.strictEqual(second.text, first.text)
        assert.strictEqual((await renew()).status, 404)
        return second
      }
    },
    {
      name: "a denial with an Idempotency-Key, which is repeated in short if it is long",
      status: 200,
      run: async (world) => {
        const admit = (key: string, fields: object) =>
          world.call("createAdmission", {
            body: { api_key_hash: world.normalKeyHash, ...fields },
            headers: { "idempotency-key": key }
          })
        const few = { models: ["acme/none"] }
        const once = await admit("few", few)
        assert.strictEqual((await admit("few", few)).text, once.text)
        const { sonnet: model } = await openMarket(world)
        const names = Array.from({ length: 100 }, (_, index) => `acme/${"é".repeat(480)}-${index}`)
        for (const [key, fields] of [
          ["many-models", { models: names }],
          ["long-value", { model, provider: { only: names.map((name) => name.slice(0, 100)) } }]
        ] as const) {
          const first = await admit(key, fields)
          assert.strictEqual(first.status, 200, first.text.slice(0, 600))
          const { error, reasons, issues, ...rest } = first.json.data
          assert.strictEqual(first.json.data.decision, "deny")
          assert.isAbove(first.text.length, 8_192)
          const again = await admit(key, fields)
          assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
          assert.isAtMost(new TextEncoder().encode(JSON.stringify(again.json.data)).length, 4_096)
          const repeated = again.json.data
          const { code, message, metadata } = error
          const { reason: why, doc_url } = metadata
          // The names of many models are too long to be kept with the error, too.
          const kept = key === "many-models" ? { code, message, metadata: { reason: why, doc_url } } : error
          assert.deepInclude(repeated, { ...rest, error: kept })
          assert.strictEqual(repeated.issues.length, repeated.reasons.length)
          const [reason] = reasons
          assert.deepEqual(repeated.reasons, [{ ...reason, value: null }])
          assert.strictEqual(repeated.issues[0].path, issues[0].path)
        }
        return admit("few", few)
      }
    },
    {
      name: "a denial with an Idempotency-Key, without what messages hold",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await restrict(world, {
          content_filter_unscannable: "block",
          content_filter_builtins: [{ slug: "email", action: "block" }]
        })
        const admit = () =>
          world.call("createAdmission", {
            body: {
              ...{ api_key_hash: world.normalKeyHash, model, provider: { zdr: true } },
              messages: [{ role: "user", content: [{ type: "jane wrote this", surprise: "x" }] }]
            },
            headers: { "idempotency-key": "once" }
          })
        const first = await admit()
        assert.strictEqual(first.json.data.error.metadata.reason, "content_unscannable")
        const second = await admit()
        assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
        assert.notInclude(second.text, "jane")
        assert.strictEqual(second.json.data.id, first.json.data.id)
        return second
      }
    },
    storeGone("PolicySources", 500, (world) => ask(world, { model: "acme/sonnet" }))
  ]
}
