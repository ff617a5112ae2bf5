/**
 * Recipients of mail confirm once: what they are sent before, the page that confirms, and how much mail there is.
 *
 * Rule: alerts#recipients.
 */
import { type MailMessage } from "@gatewarden/core"
import { MailTransport, sendDueAlerts } from "@gatewarden/core/internal"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, limitedKey, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { skipSleep } from "@gatewarden/conformance/internal/HandClock"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

const publicUrl = "https://gw.example.com/api/v1"
const hour = 3_600_000

for (const kind of ["memory", "PGlite", "PostgreSQL"] as const)
  describe(`recipients of mail: ${kind}`, () => {
    const mails: MailMessage[] = []
    let fails = false
    let hangs = false
    let installation: Installation
    const transport = async (message: MailMessage) => {
      if (fails) throw new Error("no mail server")
      if (hangs) await new Promise<never>(() => undefined)
      mails.push(message)
    }

    beforeAll(async () => {
      installation = await Installation.start({
        store: stores[kind],
        door: (options) => Effect.provideService(fetchDoor(options), MailTransport, transport),
        settings: { publicUrl }
      })
    })
    afterAll(() => installation?.stop())

    const send = () => installation.run(Effect.provideService(sendDueAlerts, MailTransport, transport))

    const newWorld = async (): Promise<World> => {
      // What other tests left is over.
      installation.clock.now += 48 * hour
      await send()
      mails.length = 0
      fails = false
      return installation.newWorld()
    }

    let addresses = 0
    const newAddress = (): string => `ops-${++addresses}@example.com`

    const create = async (world: World, to: readonly string[], fields: object = {}) => {
      const body = { name: "Pay at https://evil.example now", type: "email", config: { to }, ...fields }
      const made = await world.call("createAlertChannel", { body })
      assert.strictEqual(made.status, 200, made.text)
      return made.json.data
    }
    const read = async (world: World, id: string) =>
      (await world.call("getAlertChannel", { params: { id } })).json.data.unconfirmed_recipients
    const test = async (world: World, id: string) =>
      (await world.call("testAlertChannel", { params: { id } })).json.data

    const linkOf = ({ text }: MailMessage): URL => new URL(/https:\/\/gw\.example\.com\S+/.exec(text)?.[0] ?? "none:")
    /** Opens a link where the installation is. */
    const open = async (link: URL, method: "GET" | "POST") => {
      const url = `${installation.door.origin}${link.pathname}${link.search}`
      const answer = await installation.door.fetch(url, { method })
      return { status: answer.status, html: await answer.text(), headers: answer.headers }
    }
    const mailTo = (address: string) => mails.filter(({ to }) => to.includes(address))
    const confirm = async (address: string) => {
      const [mail] = mailTo(address)
      assert.strictEqual((await open(linkOf(mail ?? assert.fail(address)), "POST")).status, 200)
      mails.length = 0
    }
    const deny = async (world: World) => {
      const { sonnet: model } = await openMarket(world)
      await ask(world, { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "2" })
    }
    const deliveries = async (world: World) =>
      (await world.call("listAlerts", { query: { limit: "100" } })).json.data.flatMap(
        (alert: { readonly deliveries: readonly object[] }) => [...alert.deliveries]
      )

    it("an address gets one mail of fixed words, and no alert before it has confirmed", async () => {
      const world = await newWorld()
      const [one, two] = [newAddress(), newAddress()]
      const channel = await create(world, [one, two])
      assert.deepEqual(channel.unconfirmed_recipients, [one, two])
      assert.deepEqual(
        mails.map(({ to }) => to),
        [[one], [two]]
      )
      assert.strictEqual(new Set(mails.map(({ text }) => text.replace(/token=\S+/, ""))).size, 1)
      for (const { subject, text } of mails) {
        assert.strictEqual(subject, "[Gatewarden] Confirm that you want alerts by mail")
        assert.notInclude(text, "evil")
        assert.notInclude(text, world.workspace_id)
      }
      await deny(world)
      mails.length = 0
      await send()
      assert.deepEqual(mails, [])
      const [waiting] = await deliveries(world)
      assert.deepInclude(waiting, { status: "waiting", last_message: "No address of the channel has confirmed yet." })
    })

    it("a link confirms by its form alone, and each address for itself", async () => {
      const world = await newWorld()
      const [one, two] = [newAddress(), newAddress()]
      const { id } = await create(world, [one, two])
      const link = linkOf(mailTo(one)[0] ?? assert.fail("no mail"))
      assert.strictEqual(`${link.origin}${link.pathname}`, `${publicUrl}/confirm-mail`)
      const page = await open(link, "GET")
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.match(page.headers.get("content-security-policy") ?? "", /form-action 'self';/)
      assert.include(page.html, '<form method="post">')
      assert.deepEqual(await read(world, id), [one, two])
      const confirmed = await open(link, "POST")
      assert.strictEqual(confirmed.status, 200)
      assert.deepEqual(await read(world, id), [two])
      // Who presses twice is told the same.
      assert.strictEqual((await open(link, "POST")).status, 200)
      await deny(world)
      mails.length = 0
      await send()
      assert.deepEqual(
        mails.map(({ to }) => to),
        [[one]]
      )
      assert.deepInclude((await deliveries(world))[0], {
        status: "delivered",
        last_message: "1 of 2 addresses has not confirmed."
      })
    })

    it("what waits for an address is sent once it has confirmed", async () => {
      const world = await newWorld()
      const address = newAddress()
      await create(world, [address])
      await deny(world)
      await send()
      await confirm(address)
      installation.clock.now += hour
      await send()
      assert.lengthOf(mailTo(address), 1)
      assert.deepInclude((await deliveries(world))[0], { status: "delivered", last_message: null })
    })

    it("an address confirms once for all channels of its account, and for no other account", async () => {
      const world = await newWorld()
      const address = newAddress()
      await create(world, [address])
      // One that was asked is not asked again.
      await create(world, [address.toUpperCase()])
      assert.lengthOf(mails, 1)
      await confirm(address)
      assert.deepEqual((await create(world, [address])).unconfirmed_recipients, [])
      assert.deepEqual((await create(world, [address.toUpperCase()])).unconfirmed_recipients, [])
      assert.deepEqual(mails, [])
      const other = await installation.newWorld()
      assert.deepEqual((await create(other, [address])).unconfirmed_recipients, [address])
      assert.lengthOf(mails, 1)
      const { data } = (await world.call("listAlertChannels")).json
      for (const { unconfirmed_recipients } of data) assert.deepEqual(unconfirmed_recipients, [])
    })

    it("an address that no channel names any more has to confirm again", async () => {
      const world = await newWorld()
      const address = newAddress()
      const { id } = await create(world, [address])
      await confirm(address)
      await world.call("deleteAlertChannel", { params: { id } })
      assert.deepEqual((await create(world, [address])).unconfirmed_recipients, [address])
      assert.lengthOf(mailTo(address), 1)
    })

    it("an address that a change adds is asked, too", async () => {
      const world = await newWorld()
      const [one, two] = [newAddress(), newAddress()]
      const { id } = await create(world, [one])
      await confirm(one)
      const changed = await world.call("updateAlertChannel", { params: { id }, body: { config: { to: [one, two] } } })
      assert.deepEqual(changed.json.data.unconfirmed_recipients, [two])
      assert.deepEqual(
        mails.map(({ to }) => to),
        [[two]]
      )
    })

    it("a link ends after a week, or when a test sends another one", async () => {
      const world = await newWorld()
      const address = newAddress()
      const { id } = await create(world, [address])
      const first = linkOf(mails[0] ?? assert.fail("no mail"))
      mails.length = 0
      assert.deepEqual(await test(world, id), {
        delivered: false,
        status: null,
        message: "No address of the channel has confirmed yet. Links to confirm were sent: 1."
      })
      const second = linkOf(mails[0] ?? assert.fail("no mail"))
      assert.strictEqual((await open(first, "POST")).status, 404)
      installation.clock.now += 7 * 24 * hour
      assert.strictEqual((await open(second, "POST")).status, 404)
      assert.deepEqual(await read(world, id), [address])
      mails.length = 0
      await test(world, id)
      await confirm(address)
      assert.deepEqual(await read(world, id), [])
      for (const token of ["", "x", "A".repeat(43), "A".repeat(4_000)])
        assert.strictEqual((await open(new URL(`${publicUrl}/confirm-mail?token=${token}`), "POST")).status, 404)
      assert.strictEqual((await open(new URL(`${publicUrl}/confirm-mail`), "POST")).status, 404)
    })

    it("a channel is made while the mail server refuses or does not answer, and a test asks later", async () => {
      const world = await newWorld()
      const address = newAddress()
      fails = true
      const { id } = await create(world, [address])
      fails = false
      hangs = true
      skipSleep(installation.clock, 10_000)
      await create(world, [newAddress()])
      hangs = false
      assert.include((await test(world, id)).message, "Links to confirm were sent: 1.")
      await confirm(address)
      assert.deepEqual(await test(world, id), { delivered: true, status: null, message: null })
    })

    it("an address is asked five times in a day, whatever accounts ask", async () => {
      const address = newAddress()
      await newWorld()
      for (let account = 0; account < 7; account++) {
        const world = await installation.newWorld()
        const made = await create(world, [address])
        assert.deepEqual(made.unconfirmed_recipients, [address])
      }
      assert.lengthOf(mailTo(address), 5)
      installation.clock.now += 24 * hour
      const later = await installation.newWorld()
      await create(later, [address])
      assert.lengthOf(mailTo(address), 6)
    })

    it("tags of an address share its quota, and each is a recipient of its own", async () => {
      const address = newAddress()
      const tagged = (tag: number) => address.replace("@", `+${tag}@`)
      await newWorld()
      for (let account = 0; account < 7; account++) {
        const world = await installation.newWorld()
        const made = await create(world, [tagged(account)])
        assert.deepEqual(made.unconfirmed_recipients, [tagged(account)])
      }
      assert.lengthOf(
        mails.filter(({ to }) => to.some((one) => one.startsWith(address.replace(/@.*/, "+")))),
        5
      )
      await confirm(tagged(0))
      const world = await installation.newWorld()
      assert.deepEqual((await create(world, [tagged(0), address])).unconfirmed_recipients, [tagged(0), address])
    })

    it("an account that asks an address again and again leaves room for another account", async () => {
      const address = newAddress()
      const world = await newWorld()
      const { id } = await create(world, [address])
      for (let count = 0; count < 6; count++) await test(world, id)
      assert.lengthOf(mailTo(address), 3)
      await create(await installation.newWorld(), [address])
      assert.lengthOf(mailTo(address), 4)
    })

    it("an account asks 50 addresses in a day, whatever keys ask", async () => {
      const world = await newWorld()
      for (let channel = 0; channel < 6; channel++) await create(world, Array.from({ length: 10 }, newAddress))
      assert.lengthOf(mails, 50)
    })

    it("an account tests 10 times in a minute, and an address gets 20 tests in an hour, which stop no alert", async () => {
      const world = await newWorld()
      const address = newAddress()
      const { id } = await create(world, [address])
      await confirm(address)
      const other = await world.call("createManagementKey", { body: { name: "another" } })
      assert.strictEqual(other.status, 200, other.text)
      const status = async (key?: string) =>
        (await world.call("testAlertChannel", { params: { id }, ...(key === undefined ? {} : { key }) })).status
      for (let count = 0; count < 10; count++) assert.strictEqual(await status(), 200)
      assert.strictEqual(await status(other.json.key), 429)
      installation.clock.now += 60_000
      for (let count = 0; count < 10; count++) assert.strictEqual(await status(), 200)
      assert.lengthOf(mailTo(address), 20)
      installation.clock.now += 60_000
      const { delivered, message } = await test(world, id)
      assert.deepEqual([delivered, message], [false, "1 of 1 addresses has received the most mail of an hour."])
      await deny(world)
      await send()
      assert.lengthOf(mailTo(address), 21)
      installation.clock.now += hour
      assert.strictEqual((await test(world, id)).delivered, true)
    })

    it(
      "an address gets 60 mails in an hour, and the next alert when there may be more",
      { tags: ["deep"] },
      async () => {
        const world = await newWorld()
        const address = newAddress()
        await create(world, [address], { quiet_time_seconds: 0 })
        await confirm(address)
        // The mail that asked counts.
        for (let count = 0; count < 60; count++) {
          await deny(world)
          await send()
        }
        assert.lengthOf(mailTo(address), 59)
        const waiting = (await deliveries(world)).filter(
          ({ status }: { readonly status: string }) => status === "waiting"
        )
        assert.lengthOf(waiting, 1)
        assert.strictEqual(waiting[0].last_message, "1 of 1 addresses has received the most mail of an hour.")
        installation.clock.now += hour + 60_000
        await send()
        assert.lengthOf(mailTo(address), 60)
      }
    )

    it("the subject of a test has no text of the tenant", async () => {
      const world = await newWorld()
      const address = newAddress()
      const { id } = await create(world, [address])
      await confirm(address)
      await test(world, id)
      const [{ subject, text } = assert.fail("no mail")] = mails
      assert.strictEqual(subject, "[Gatewarden] A test of an alert channel")
      assert.notInclude(text, "evil")
      assert.include(text, id)
    })
  })

describe("recipients of mail that cannot confirm", () => {
  it("are refused by a server that does not know its address", async () => {
    const mails: MailMessage[] = []
    const installation = await Installation.start({
      store: stores.memory,
      door: (options) =>
        Effect.provideService(fetchDoor(options), MailTransport, async (message: MailMessage) => {
          mails.push(message)
        })
    })
    const world = await installation.newWorld()
    const body = { name: "x", type: "email", config: { to: ["ops@example.com"] } }
    const made = await world.call("createAlertChannel", { body })
    assert.strictEqual(made.status, 400)
    assert.strictEqual(made.json.error.metadata.reason, "mail_unavailable")
    assert.deepEqual(mails, [])
    await installation.stop()
  })
})
