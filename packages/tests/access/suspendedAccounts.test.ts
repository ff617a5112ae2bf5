/** While an account is suspended its keys are refused with a reason of their own, at data planes too. Rule: access#accounts. */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { type Answer, type World } from "@gatewarden/conformance/internal/World"
import { Accounts, resumeAccount, suspendAccount } from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pricedModel } from "@gatewarden/conformance/internal/admission/admissionBounds"
import { ask, limitedKey, report } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [title, store] of everyStore)
  describe(`suspended accounts on ${title}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor })
    })
    afterAll(() => installation.stop())

    const nameOf = (world: World) =>
      installation.run(
        Effect.gen(function* () {
          const all = yield* (yield* Accounts).list
          return all.find(({ id }) => id === world.account_id)?.name ?? ""
        })
      )
    const suspend = async (world: World) => installation.run(suspendAccount(await nameOf(world)))
    const resume = async (world: World) => installation.run(resumeAccount(await nameOf(world)))
    const refused = ({ status, json, text }: Answer) => {
      assert.strictEqual(status, 401, text)
      assert.strictEqual(json.error.metadata.reason, "account_suspended")
      assert.include(json.error.metadata.issues[0].message, "suspended")
    }

    it("are refused with each key, and nobody else is, until they are resumed", async () => {
      const [world, other] = [await installation.newWorld(), await installation.newWorld()]
      const keys = [world.managementKey, world.normalKey]
      const use = (key: string) => world.send("GET", "/key", { key })
      for (const key of keys) assert.strictEqual((await use(key)).status, 200)
      assert.isObject(await suspend(world))
      for (const key of keys) refused(await use(key))
      assert.strictEqual((await other.call("getCurrentKey")).status, 200)
      assert.isObject(await resume(world))
      for (const key of keys) assert.strictEqual((await use(key)).status, 200)
    })

    it("are denied by data planes that decided for them a moment before, and what was admitted is settled", async () => {
      const world = await installation.newWorld()
      const model = await pricedModel(world, { prompt: "0", completion: "0.001" })
      const api_key_hash = await limitedKey(world, 100)
      const admit = (key: string) =>
        world.call("createAdmission", { key, body: { model, api_key_hash, max_completion_tokens: 10 } })
      const before = (await ask(world, { model, api_key_hash, max_completion_tokens: 10 })).json.data
      assert.strictEqual((await admit(world.gatewayKey)).json.data.decision, "allow")
      await suspend(world)
      const { decision, status, reasons, issues } = (await admit(world.gatewayKey)).json.data
      assert.deepEqual([decision, status], ["deny", 401])
      assert.deepEqual(reasons, [{ scope: "key", guardrail_id: null, field: "account_suspended", value: true }])
      assert.include(issues[0].message, "suspended")
      refused(await admit(world.managementKey))
      const settle = (key: string) =>
        world.call("settleAdmission", {
          key,
          params: { id: before.id },
          body: report(world, "0.001", { model, provider: "acme" })
        })
      refused(await settle(world.managementKey))
      assert.strictEqual((await settle(world.gatewayKey)).status, 200)
      await resume(world)
      assert.strictEqual((await admit(world.gatewayKey)).json.data.decision, "allow")
    })

    it("get no key for a code, and revoke the key of a code that is presented again", async () => {
      const world = await installation.newWorld()
      const codeOf = async () =>
        (await world.call("createAuthorizationCode", { body: { callback_url: "https://app.example.com/done" } })).json
          .data.id as string
      const exchange = (code: string) => world.call("exchangeAuthorizationCode", { body: { code } })
      const [code, used] = [await codeOf(), await codeOf()]
      const { key } = (await exchange(used)).json
      await suspend(world)
      const { status, json } = await exchange(code)
      assert.deepEqual([status, json.error.metadata.reason], [403, "invalid_authorization_code"])
      installation.clock.now += 60_000
      assert.strictEqual((await exchange(used)).status, 403)
      await resume(world)
      assert.strictEqual((await exchange(code)).status, 200)
      assert.strictEqual((await world.send("GET", "/key", { key })).status, 401)
    })

    it("stay suspended since when they were, and the operator's account cannot be", async () => {
      const world = await installation.newWorld()
      const first = await suspend(world)
      installation.clock.now += 1_000
      assert.deepEqual(await suspend(world), first)
      assert.strictEqual(await installation.run(suspendAccount("default")), "operator")
      assert.strictEqual(await installation.run(suspendAccount("nobody")), "missing")
      assert.strictEqual(await installation.run(resumeAccount("nobody")), "missing")
    })
  })
