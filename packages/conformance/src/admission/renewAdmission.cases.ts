import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { ask, limitedKey, limitRates, openMarket } from "./admissionWorld.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { gatewayRenewalCases } from "../access/gatewayKeyCases.ts"

/** The id of an admission that holds a quarter of a dollar. */
export const heldAdmission = async (world: World, fields: object = {}): Promise<string> => {
  const { sonnet: model } = await openMarket(world)
  const answer = await ask(world, { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "0.25", ...fields })
  return answer.json.data.id
}

const renew = (world: World, id: string, body: object = {}) => world.call("renewAdmission", { params: { id }, body })

const unknown = { params: { id: "nothing" }, body: {} }

export const renewAdmission: CasesOf = {
  operation: "renewAdmission",
  cases: [
    ...gatewayRenewalCases,
    {
      name: "from now on",
      status: 200,
      run: async (world) => {
        const id = await heldAdmission(world)
        world.installation.clock.now += 500_000
        return renew(world, id, { hold_seconds: 300 })
      },
      check: ({ json }, world) =>
        assert.strictEqual(json.data.expires_at, new Date(world.installation.clock.now + 300_000).toISOString())
    },
    {
      name: "one that holds nothing",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        return renew(world, (await ask(world, { model })).json.data.id)
      }
    },
    {
      name: "of a key with rates: it runs for as long",
      status: 200,
      run: async (world) => {
        const { sonnet: model } = await openMarket(world)
        await limitRates(world, { parallel_requests: 1 })
        const { json } = await ask(world, { model })
        world.installation.clock.now += 500_000
        const renewed = await renew(world, json.data.id, { hold_seconds: 300 })
        world.installation.clock.now += 200_000
        assert.strictEqual((await ask(world, { model })).json.data.status, 429)
        world.installation.clock.now += 100_000
        assert.strictEqual((await ask(world, { model })).json.data.decision, "allow")
        return renewed
      }
    },
    {
      name: "one that has expired",
      status: 404,
      run: async (world) => {
        const id = await heldAdmission(world)
        world.installation.clock.now += 600_000
        return renew(world, id)
      }
    },
    {
      name: "one that was cancelled",
      status: 404,
      run: async (world) => {
        const id = await heldAdmission(world)
        await world.call("cancelAdmission", { params: { id } })
        return renew(world, id)
      }
    },
    {
      name: "of another account",
      status: 404,
      run: async (world) => renew(await world.other(), await heldAdmission(world))
    },
    { name: "one nobody granted", status: 404, run: (world) => world.call("renewAdmission", unknown) },
    refused(
      "renewAdmission",
      "for too long",
      { params: { id: "nothing" }, body: { hold_seconds: 3601 } },
      { path: "hold_seconds" }
    ),
    ...managementOnly("renewAdmission", () => unknown),
    storeGone("BudgetLedger", 500, async (world) => {
      world.installation.faults.mend()
      const id = await heldAdmission(world)
      world.installation.faults.break("BudgetLedger")
      return renew(world, id)
    })
  ]
}
