/** What becomes of alerts that a real SMTP server refuses, at each of its commands and with each class of reply. */
import type { AddressInfo } from "node:net"
import { MailTransport, sendDueAlerts } from "@gatewarden/core/internal"
import { smtpTransport } from "@gatewarden/node"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"
import { ask, limitedKey, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { confirmed } from "@gatewarden/conformance/internal/alert/confirmed"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

const day = 86_400_000

/** The code with which the server refuses at a command; of recipients, those whose address begins with it. */
type Refusals = { connect?: number; auth?: number; from?: number; data?: number }

const refusal = (code: number) => Object.assign(new Error("no s3cr3t"), { responseCode: code })
const answer = (code: number | undefined, done: (error?: Error | null) => void): void =>
  code === undefined ? done() : done(refusal(code))

describe("mail that is refused", () => {
  let refusals: Refusals = {}
  let reached: string[] = []
  let attempts = 0
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onConnect: (_, done) => {
      attempts++
      answer(refusals.connect, done)
    },
    onAuth: ({ username }, _, done) =>
      refusals.auth === undefined ? done(null, { user: username }) : done(refusal(refusals.auth)),
    onMailFrom: (_, __, done) => answer(refusals.from, done),
    onRcptTo: ({ address }, _, done) => {
      const code = Number(address.slice(0, 3))
      answer(Number.isNaN(code) ? undefined : code, done)
    },
    onData: (stream, { envelope }, done) => {
      stream.resume().on("end", () => {
        if (refusals.data === undefined) reached.push(...envelope.rcptTo.map(({ address }) => address))
        answer(refusals.data, done)
      })
    }
  })
  let installation: Installation
  let send: () => Promise<number>

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.server.address() as AddressInfo
    const mail = smtpTransport({ url: `smtp://alerts:s3cr3t@127.0.0.1:${port}`, from: "alerts@gw.example.com" })
    installation = await Installation.start({
      store: stores.memory,
      door: (options) => Effect.provideService(fetchDoor(options), MailTransport, mail)
    })
    send = () => installation.run(Effect.provideService(sendDueAlerts, MailTransport, mail))
  })
  afterAll(async () => {
    await installation?.stop()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  beforeEach(async () => {
    // What other tests left is over.
    refusals = {}
    installation.clock.now += 2 * day
    await send()
    reached = []
    attempts = 0
  })

  /** An alert that a channel of these addresses hears of. */
  const alerted = async (to: readonly string[]): Promise<World> => {
    const world = await installation.newWorld()
    await installation.run(confirmed(world.account_id, to))
    const made = await world.call("createAlertChannel", { body: { name: "Mail", type: "email", config: { to } } })
    assert.strictEqual(made.status, 200, made.text)
    const { sonnet: model } = await openMarket(world)
    await ask(world, { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "2" })
    await send()
    return world
  }
  const deliveryOf = async (world: World) => (await world.call("listAlerts")).json.data[0].deliveries[0]
  const refused = (code: number) => `The mail server refused this server with ${code}.`
  const answered = (code: number) => `The mail server answered ${code}.`

  it.each([
    // Of a recipient or of the message, for good.
    [["550.no.such.user@a.example"], {}, "failed", 550, answered(550)],
    [["553@a.example", "551@a.example"], {}, "failed", 551, answered(551)],
    [["a@a.example"], { data: 554 }, "failed", 554, answered(554)],
    // For now.
    [["450@a.example"], {}, "waiting", 450, answered(450)],
    [["552.full@a.example"], {}, "waiting", 552, answered(552)],
    [["550@a.example", "451@a.example"], {}, "waiting", 451, answered(451)],
    [["a@a.example"], { data: 452 }, "waiting", 452, answered(452)],
    [["a@a.example"], { connect: 421 }, "waiting", 421, answered(421)],
    // Of this server: its operator mends it.
    [["a@a.example"], { connect: 554 }, "waiting", 554, refused(554)],
    [["a@a.example"], { auth: 535 }, "waiting", 535, refused(535)],
    [["a@a.example"], { auth: 454 }, "waiting", 454, answered(454)],
    [["a@a.example"], { from: 553 }, "waiting", 553, refused(553)],
    [["530@a.example"], {}, "waiting", 530, refused(530)]
  ] as const)("to %j with %j is %s", async (to, given, status, last_status, last_message) => {
    refusals = given
    const world = await alerted(to)
    assert.deepInclude(await deliveryOf(world), { status, attempts: 1, last_status, last_message })
    assert.strictEqual(attempts, 1)
    installation.clock.now += 60_000
    assert.strictEqual(await send(), status === "failed" ? 0 : 1)
    assert.deepEqual(reached, [])
  })

  it("arrives once its operator has mended what was refused", async () => {
    refusals = { auth: 535 }
    const world = await alerted(["a@a.example"])
    refusals = {}
    installation.clock.now += 60_000
    await send()
    assert.deepEqual(reached, ["a@a.example"])
    assert.deepInclude(await deliveryOf(world), { status: "delivered", attempts: 2, last_message: null })
  })

  it("by some recipients is not sent again to the others", async () => {
    const world = await alerted(["a@a.example", "550@a.example", "450@a.example", "b@a.example"])
    assert.deepInclude(await deliveryOf(world), {
      status: "delivered",
      attempts: 1,
      last_status: null,
      last_message: "The mail server refused 2 of 4 addresses."
    })
    installation.clock.now += day
    assert.strictEqual(await send(), 0)
    assert.deepEqual(reached, ["a@a.example", "b@a.example"])
  })

  it("by the transport of a host without a reply code is tried again, and with one judged alike", async () => {
    const world = await alerted(["450@a.example"])
    const after = async (cause: unknown) => {
      installation.clock.now += 3_600_000
      await installation.run(Effect.provideService(sendDueAlerts, MailTransport, () => Promise.reject(cause)))
      const { status, last_status, last_message } = await deliveryOf(world)
      return [status, last_status, last_message]
    }
    const unknown = "The mail server did not accept the message."
    for (const cause of [undefined, "550", { responseCode: "550" }, { responseCode: 250 }, { responseCode: NaN }])
      assert.deepEqual(await after(cause), ["waiting", null, unknown])
    assert.deepEqual(await after({ responseCode: 535, command: 1 }), ["waiting", 535, refused(535)])
    assert.deepEqual(await after({ responseCode: 550 }), ["failed", 550, answered(550)])
  })
})
