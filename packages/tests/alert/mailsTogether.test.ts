/** What is due for a mailbox at once is one mail. */
import type { MailMessage } from "@gatewarden/core"
import { MailTransport, sendDueAlerts } from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, limitedKey, openMarket, report } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { confirmed } from "@gatewarden/conformance/internal/alert/confirmed"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

const to = ["ops@example.com"]

for (const kind of ["memory", "PGlite", "PostgreSQL"] as const)
  describe(`mails together: ${kind}`, () => {
    const mails: MailMessage[] = []
    let fails = false
    let installation: Installation
    const transport = async (message: MailMessage) => {
      mails.push(message)
      if (fails) throw new Error("no mail server")
    }
    beforeAll(async () => {
      installation = await Installation.start({
        store: stores[kind],
        door: (options) => Effect.provideService(fetchDoor(options), MailTransport, transport)
      })
    })
    afterAll(() => installation?.stop())
    const send = () => installation.run(Effect.provideService(sendDueAlerts, MailTransport, transport))

    const newWorld = async (): Promise<World> => {
      // What other tests left is over.
      installation.clock.now += 48 * 3_600_000
      await send()
      mails.length = 0
      fails = false
      const world = await installation.newWorld()
      await installation.run(confirmed(world.account_id, to))
      const body = { name: "Mail", type: "email", config: { to }, quiet_time_seconds: 0 }
      const made = await world.call("createAlertChannel", { body })
      assert.strictEqual(made.status, 200, made.text)
      return world
    }
    /** A request of a key with a limit of 1 USD that costs so much. */
    const spend = async (world: World, cost: string): Promise<string> => {
      const { sonnet: model } = await openMarket(world)
      const api_key_hash = await limitedKey(world, 1)
      const { json } = await ask(world, { model, api_key_hash, max_cost_usd: "1" })
      await world.call("settleAdmission", { params: { id: json.data.id }, body: report(world, cost) })
      return api_key_hash
    }
    const deny = async (world: World, api_key_hash: string) => {
      const { sonnet: model } = await openMarket(world)
      await ask(world, { model, api_key_hash, max_cost_usd: "1" })
    }
    const statuses = async (world: World) =>
      (await world.call("listAlerts")).json.data.flatMap(
        (alert: { readonly deliveries: readonly { readonly status: string }[] }) =>
          alert.deliveries.map(({ status }) => status)
      )

    it("of two thresholds that one event crosses the higher is told, and of all the denial", async () => {
      const world = await newWorld()
      const hash = await spend(world, "0.96")
      await send()
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ["[Gatewarden] 95 % of a lifetime limit of a key is spent"]
      )
      assert.notInclude(mails[0]?.text, "80 %")
      assert.deepEqual(await statuses(world), ["delivered", "delivered"])
      mails.length = 0
      await deny(world, hash)
      await send()
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ["[Gatewarden] A lifetime limit of a key has denied a request"]
      )
      mails.length = 0
      await deny(world, await spend(world, "0.96"))
      await send()
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ["[Gatewarden] A lifetime limit of a key has denied a request"]
      )
      assert.strictEqual(new Set(await statuses(world)).size, 1)
    })

    it("budgets of several scopes that one event crosses are listed in one mail", async () => {
      const world = await newWorld()
      const workspace_id = world.workspace_id
      const put = await world.call("putWorkspaceBudget", {
        params: { id: workspace_id, interval: "daily" },
        body: { limit_usd: 1 }
      })
      assert.strictEqual(put.status, 200, put.text)
      const hash = await spend(world, "0.9")
      await send()
      const [mail, ...others] = mails
      assert.deepEqual(others, [])
      assert.match(mail?.subject ?? "", /^\[Gatewarden\] 80 % of a .* is spent, and 1 more alert$/)
      assert.include(mail?.text, "80 % of a lifetime limit of a key is spent.")
      assert.include(mail?.text, "80 % of a daily budget of a workspace is spent.")
      assert.include(mail?.text, `Of: limited (${hash})`)
      assert.include(mail?.text, `Of: Default (${workspace_id})`)
      assert.deepEqual(await statuses(world), ["delivered", "delivered"])
    })

    it("a mail that does not arrive is repeated with all of its alerts and the same id", async () => {
      const world = await newWorld()
      fails = true
      await spend(world, "0.96")
      await send()
      assert.deepEqual(await statuses(world), ["waiting", "waiting"])
      fails = false
      installation.clock.now += 60_000
      await send()
      assert.deepEqual(await statuses(world), ["delivered", "delivered"])
      const [first, second, ...others] = mails
      assert.deepEqual(others, [])
      assert.deepEqual(second, first)
    })
  })
