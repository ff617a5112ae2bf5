/**
 * The `reason` and the `doc_url` of each kind of denial, in an admission and in its explanation. Rule: admissions#denials, errors#doc-url.
 */
import { type Reason, reasons } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import type { Case } from "../http/Case.ts"
import { ask, explained, limitedKey, limitRates, type Market, openMarket, restrict } from "./admissionWorld.ts"

type Fields = Readonly<Record<string, unknown>>

interface Kind {
  readonly reason: Reason
  readonly status: number
  /** Makes what denies the request; answers the request. */
  readonly request: (world: World, market: Market) => Promise<Fields> | Fields
}

const user = (content: unknown) => [{ role: "user", content }]
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

const patched = async (world: World, body: object): Promise<Fields> => {
  await world.call("updateKey", { params: { hash: world.normalKeyHash }, body })
  return {}
}

const deniedWith = (
  status: number,
  reason: Reason,
  request: (world: World, market: Market) => Promise<Fields> | Fields
): Kind => ({ status, reason, request })

const kinds: readonly Kind[] = [
  deniedWith(402, "key_limit_exceeded", async (world) => ({
    api_key_hash: await limitedKey(world, 1),
    max_cost_usd: "2"
  })),
  deniedWith(403, "guardrail_budget_exceeded", async (world) => {
    await restrict(world, { limit_usd: 1, reset_interval: "daily" })
    return { max_cost_usd: "2" }
  }),
  deniedWith(403, "workspace_budget_exceeded", async (world) => {
    await world.call("putWorkspaceBudget", { params: { id: "default", interval: "daily" }, body: { limit_usd: 1 } })
    return { max_cost_usd: "2" }
  }),
  deniedWith(429, "key_rate_limited", async (world, { mini: model }) => {
    await limitRates(world, { requests_per_minute: 1 })
    await ask(world, { model })
    return {}
  }),
  deniedWith(403, "region_not_allowed", async (world) => {
    await restrict(world, { allowed_data_regions: ["europe"] })
    return { ingress_region: "us" }
  }),
  deniedWith(404, "no_endpoint_allowed", async (world) => {
    await restrict(world, { allowed_providers: ["xai"] })
    return {}
  }),
  deniedWith(404, "no_known_price", async (world) => ({
    api_key_hash: await limitedKey(world, 1),
    service_tier: "priority"
  })),
  deniedWith(404, "unknown_model", () => ({ model: "acme/nothing" })),
  deniedWith(404, "unknown_preset", () => ({ preset: "nothing" })),
  deniedWith(403, "content_blocked", async (world) => {
    await restrict(world, { content_filter_builtins: [{ slug: "email", action: "block" }] })
    return { messages: user("jane@example.com") }
  }),
  deniedWith(403, "content_unscannable", async (world) => {
    await restrict(world, { content_filter_unscannable: "block" })
    return { messages: user([image]) }
  }),
  deniedWith(403, "server_tool_disabled", async (world) => {
    await world.call("updateWorkspace", {
      params: { id: "default" },
      body: { disabled_server_tools: ["openrouter:bash"] }
    })
    return { tools: [{ type: "openrouter:bash" }] }
  }),
  deniedWith(403, "api_key_required", async (world) => {
    const { json } = await world.call("createManagementKey", { body: { name: "no inference" } })
    return { api_key_hash: json.data.hash }
  }),
  deniedWith(401, "invalid_api_key", () => ({ api_key_hash: "f".repeat(64) })),
  deniedWith(401, "disabled_api_key", (world) => patched(world, { disabled: true })),
  deniedWith(401, "expired_api_key", async (world) => {
    const expires_at = new Date(world.installation.clock.now + 1_000).toISOString()
    const { json } = await world.call("createKey", { body: { name: "short", expires_at } })
    world.installation.clock.now += 1_000
    return { api_key_hash: json.data.hash }
  }),
  deniedWith(400, "invalid_request", () => ({ model: null }))
]

export const denialReasonCases: readonly Case[] = kinds.map(({ reason, status, request }) => ({
  name: `denied with its reason, and a page on it: ${reason}`,
  status: 200,
  run: async (world) => {
    const market = await openMarket(world)
    const body = { model: market.mini, ...(await request(world, market)) }
    const denied = await ask(world, body)
    const { error } = denied.json.data
    assert.deepInclude(denied.json.data, { decision: "deny", status }, denied.text)
    assert.deepInclude(error.metadata, { reason, doc_url: `../errors/${reason}` })
    assert.include<number>(reasons[reason].statuses, status)
    const explanation = (await explained(world, body)).json.data
    assert.deepInclude(explanation, { decision: "deny", status, error })
    return world.send("GET", `/errors/${reason}`, { key: null })
  },
  check: ({ text }) => assert.include(text, reasons[reason].means.slice(0, 20))
}))
