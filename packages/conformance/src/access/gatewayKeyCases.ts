/**
 * What a gateway key may do: act in the account of the key, or of the admission, that a request names (Rule: access#gateway-keys).
 */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { ask, explained, limitedKey, openMarket, report } from "../admission/admissionWorld.ts"
import { type Case, reasonIs } from "../http/Case.ts"
import { sha256Hex } from "../http/sha256.ts"

const unknownHash = "0".repeat(64)

/** An admission of a limited key that a gateway key asked for, so that something is held. */
const held = async (world: World): Promise<{ readonly id: string; readonly api_key_hash: string }> => {
  const { sonnet } = await openMarket(world)
  const api_key_hash = await limitedKey(world, 5)
  const { json } = await ask(world, { api_key_hash, model: sonnet, max_cost_usd: "1" }, world.gatewayKey)
  assert.strictEqual(json.data.decision, "allow")
  return { id: json.data.id, api_key_hash }
}

const left = async (world: World, hash: string): Promise<number> =>
  (await world.call("getKey", { params: { hash } })).json.data.limit_remaining

/** An account may neither end nor prolong what it did not ask for itself, and nothing changes. */
const ofTheOperator = (operation: "cancelAdmission" | "renewAdmission" | "settleAdmission"): Case => ({
  name: "an account's own key meets what the operator's data plane asked for",
  status: 403,
  run: async (world) => {
    const { id, api_key_hash } = await held(world)
    const body = operation === "settleAdmission" ? report(world, "0") : {}
    const answer = await world.call(operation, { params: { id }, ...(operation === "cancelAdmission" ? {} : { body }) })
    assert.strictEqual(await left(world, api_key_hash), 4)
    // The operator's own report is the first.
    await world.call("settleAdmission", { params: { id }, body: report(world, "0.75"), ...key(world) })
    assert.strictEqual(await left(world, api_key_hash), 4.25)
    return answer
  },
  check: reasonIs("operator_required")
})

const key = (world: World) => ({ key: world.gatewayKey })

export const gatewayAdmissionCases: readonly Case[] = [
  {
    name: "a gateway key asks for any account's key",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const { sonnet } = await openMarket(world)
      for (const each of [world, other]) {
        const { json } = await ask(each, { model: sonnet }, world.gatewayKey)
        assert.strictEqual(json.data.decision, "allow")
      }
      // Each meets the policy of its own account.
      await other.call("updateGuardrail", {
        params: { id: other.default_guardrail_id },
        body: { allowed_models: ["acme/none"] }
      })
      assert.strictEqual((await ask(other, { model: sonnet }, world.gatewayKey)).json.data.decision, "deny")
      return ask(world, { model: sonnet }, world.gatewayKey)
    },
    check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
  },
  {
    name: "a gateway key that names a key nobody made is told what the caller should be",
    status: 200,
    run: (world) => ask(world, { api_key_hash: unknownHash, model: "acme/sonnet" }, world.gatewayKey),
    check: ({ json }) => assert.deepInclude(json.data, { decision: "deny", status: 401 })
  },
  {
    name: "a gateway key is no key for inference",
    status: 200,
    run: async (world) => {
      const { sonnet } = await openMarket(world)
      return ask(world, { api_key_hash: await sha256Hex(world.gatewayKey), model: sonnet }, world.gatewayKey)
    },
    check: ({ json }) => assert.deepInclude(json.data, { decision: "deny", status: 403 })
  },
  {
    name: "a management key meets no key of another account",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const { sonnet } = await openMarket(world)
      return ask(world, { api_key_hash: other.normalKeyHash, model: sonnet })
    },
    check: ({ json }) => assert.deepInclude(json.data, { decision: "deny", status: 401 })
  }
]

export const gatewaySettlementCases: readonly Case[] = [
  ofTheOperator("settleAdmission"),
  {
    name: "a gateway key settles in the account of the admission",
    status: 200,
    run: async (world) => {
      const { id, api_key_hash } = await held(world)
      const answer = await world.call("settleAdmission", { params: { id }, body: report(world, "0.75"), ...key(world) })
      assert.strictEqual(await left(world, api_key_hash), 4.25)
      return answer
    },
    check: ({ json }) => assert.strictEqual(json.data.charged[0].amount_usd, "0.75")
  },
  {
    name: "a gateway key meets an id nobody signed",
    status: 404,
    run: (world) => world.call("settleAdmission", { params: { id: "x" }, body: report(world, "1"), ...key(world) })
  }
]

export const gatewayRenewalCases: readonly Case[] = [
  ofTheOperator("renewAdmission"),
  {
    name: "a gateway key renews in the account of the admission",
    status: 200,
    run: async (world) =>
      world.call("renewAdmission", {
        params: { id: (await held(world)).id },
        body: { hold_seconds: 600 },
        ...key(world)
      })
  }
]

export const gatewayCancelCases: readonly Case[] = [
  ofTheOperator("cancelAdmission"),
  {
    name: "a gateway key cancels in the account of the admission",
    status: 200,
    run: async (world): Promise<Answer> => {
      const { id } = await held(world)
      const answer = await world.call("cancelAdmission", { params: { id }, ...key(world) })
      assert.strictEqual((await world.call("renewAdmission", { params: { id }, body: {}, ...key(world) })).status, 404)
      return answer
    }
  }
]

export const gatewayExplanationCases: readonly Case[] = [
  {
    name: "a gateway key explains in the account of the key",
    status: 200,
    run: async (world) => {
      const { sonnet } = await openMarket(world)
      return explained(world, { model: sonnet }, world.gatewayKey)
    },
    check: ({ json }) => assert.strictEqual(json.data.decision, "allow")
  },
  {
    name: "a gateway key that replays must name a key",
    status: 400,
    run: (world) => {
      const end = new Date(world.installation.clock.now).toISOString()
      const start = new Date(world.installation.clock.now - 3_600_000).toISOString()
      return world.call("createExplanation", { body: { replay: { start, end } }, ...key(world) })
    },
    check: reasonIs("account_required")
  }
]
