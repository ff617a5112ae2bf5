/** Admissions of a key with rates while the ledger is out of reach: what is not admitted consumes nothing. */
import { fetchDoor } from "@gatewarden/conformance"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { ask, limitedKey, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [title, store] of everyStore)
  describe(`an admission that fails on ${title}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor })
    })
    afterAll(() => installation.stop())

    it("leaves nothing counted against the rates of its key", async () => {
      const { faults } = installation
      const world = await installation.newWorld()
      const { sonnet: model } = await openMarket(world)
      const api_key_hash = await limitedKey(world, 1)
      const admit = () => ask(world, { api_key_hash, model, max_cost_usd: "0.6" })
      await world.call("putKeyRateLimits", {
        params: { hash: api_key_hash },
        body: { parallel_requests: 1, requests_per_minute: 2 }
      })
      faults.break("BudgetLedger")
      for (let time = 0; time < 3; time++) assert.strictEqual((await admit()).status, 500)
      faults.mend()
      faults.doubt("BudgetLedger")
      assert.strictEqual((await admit()).status, 500)
      faults.mend()
      const { json } = await admit()
      assert.strictEqual(json.data.decision, "allow")
      // Denied for its rate, it holds no money: what is left of the limit is there once the first is given back.
      assert.strictEqual((await admit()).json.data.status, 429)
      await world.call("cancelAdmission", { params: { id: json.data.id } })
      assert.strictEqual((await admit()).json.data.decision, "allow")
    })
  })
