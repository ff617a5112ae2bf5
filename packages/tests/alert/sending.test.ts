/** Alerts as receivers get them: a real HTTP server, the library of Standard Webhooks as oracle, and a clock by hand. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { OutgoingFetch, sendDueAlerts, type Services, Alerts } from "@gatewarden/core/internal"
import { createGatewarden, memory } from "@gatewarden/core"
import { guardedFetch } from "@gatewarden/node/effect"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { ask, limitedKey, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"
import type { World } from "@gatewarden/conformance/internal/World"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string
}

const hour = 3_600_000

describe("sending alerts", () => {
  const received: Received[] = []
  let answer: { status: number; headers?: Record<string, string> } = { status: 204 }
  let server: Server
  let url: string
  let installation: Installation

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
      request.on("end", () => {
        received.push({ headers: request.headers, body, path: request.url ?? "" })
        response.writeHead(answer.status, answer.headers).end("the secret of the receiver")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    installation = await Installation.start({ store: stores.memory, door: fetchDoor })
  })
  afterAll(async () => {
    await installation?.stop()
    await new Promise((resolve) => server?.close(resolve))
  })

  const outgoing = guardedFetch({ allowPrivate: true })
  const run = <A>(effect: Effect.Effect<A, never, Services>) =>
    installation.run(Effect.provideService(effect, OutgoingFetch, outgoing))
  const send = () => run(sendDueAlerts)

  const world = async (answers: typeof answer = { status: 204 }): Promise<World> => {
    // What other tests left is over.
    installation.clock.now += 48 * hour
    await send()
    received.length = 0
    answer = answers
    return installation.newWorld()
  }

  const create = async (of: World, body: object) => {
    const made = await of.call("createAlertChannel", { body: { name: "On call", ...body } })
    assert.strictEqual(made.status, 200, made.text)
    return made.json
  }

  /** Denies a request of a key, whose name is of no matter. */
  const deny = async (of: World, limit = 1): Promise<void> => {
    const { sonnet: model } = await openMarket(of)
    await ask(of, { model, api_key_hash: await limitedKey(of, limit), max_cost_usd: String(limit * 2) })
  }

  const deliveries = async (of: World) =>
    (await of.call("listAlerts")).json.data.flatMap((alert: { readonly deliveries: readonly object[] }) => [
      ...alert.deliveries
    ])

  it("a webhook verifies what it gets with the library of Standard Webhooks, and nobody else's", async () => {
    const own = await world()
    const { signing_secret } = await create(own, { type: "webhook", config: { url: `${url}/hook` } })
    await deny(own)
    assert.strictEqual(await send(), 1)
    assert.strictEqual(await send(), 0)
    const [{ headers, body, path } = { headers: {}, body: "", path: "" }] = received
    assert.strictEqual(path, "/hook")
    const [alert] = (await own.call("listAlerts")).json.data
    assert.strictEqual(headers["webhook-id"], alert.id)
    assert.strictEqual(headers["content-type"], "application/json")
    const names = headers as Record<string, string>
    // The library compares with the clock of its process.
    const verified = verifiedAt(installation.clock.now, () => new Webhook(signing_secret).verify(body, names))
    assert.deepEqual(verified, {
      type: "budget.denied",
      timestamp: alert.created_at,
      data: { workspace_id: own.workspace_id, workspace_name: "Default", subject: alert.subject, ...alert.data }
    })
    assert.deepInclude(alert.data, { entity_name: "limited", guardrail_name: null })
    const other = new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`)
    assert.throws(() => verifiedAt(installation.clock.now, () => other.verify(body, names)))
    assert.throws(() => verifiedAt(installation.clock.now, () => new Webhook(signing_secret).verify(`${body} `, names)))
    assert.notInclude(JSON.stringify(received), signing_secret)
  })

  it("for a day after a new secret the former one verifies, too", async () => {
    const own = await world()
    const { data, signing_secret: former } = await create(own, { type: "webhook", config: { url } })
    const changed = await own.call("updateAlertChannel", {
      params: { id: data.id },
      body: { config: { signing_secret: null } }
    })
    const test = () =>
      run(
        Effect.promise(async () => {
          received.length = 0
        })
      ).then(() => deny(own))
    const verifies = (secret: string): boolean => {
      const [{ headers, body } = { headers: {}, body: "" }] = received
      try {
        verifiedAt(installation.clock.now, () => new Webhook(secret).verify(body, headers as Record<string, string>))
        return true
      } catch {
        return false
      }
    }
    await test()
    await send()
    assert.deepEqual([verifies(former), verifies(changed.json.signing_secret)], [true, true])
    installation.clock.now += 24 * hour
    await test()
    await send()
    assert.deepEqual([verifies(former), verifies(changed.json.signing_secret)], [false, true])
  })

  it("Slack gets text and blocks within its limits, in which no name is markup", async () => {
    const own = await world()
    const name = "<!channel> & *all* <https://evil.example|click>"
    const made = await own.call("createKey", {
      body: { name, expires_at: new Date(installation.clock.now + 8 * 24 * hour).toISOString() }
    })
    assert.strictEqual(made.status, 200, made.text)
    await create(own, { type: "slack", config: { url: `${url}/services/T0/B0/secret` } })
    installation.clock.now += 24 * hour + 1
    await run(detectOnce)
    await send()
    const [{ body, path } = { body: "{}", path: "" }] = received
    assert.strictEqual(path, "/services/T0/B0/secret")
    const message = JSON.parse(body)
    const fields: readonly string[] = message.blocks[1].fields.map(({ text }: { readonly text: string }) => text)
    assert.include(fields, `*Workspace*\nDefault (${own.workspace_id})`)
    assert.include(message.text, "&lt;!channel&gt; &amp; ")
    assert.notMatch(body, /<|>|\*all\*/)
    assert.isAtMost(message.blocks.length, 50)
    for (const block of message.blocks) {
      assert.strictEqual(block.type, "section")
      assert.isAtMost(block.text?.text.length ?? 0, 3_000)
      assert.isAtMost(block.fields?.length ?? 0, 10)
      for (const field of block.fields ?? []) assert.isAtMost(field.text.length, 2_000)
    }
  })

  it("repeats with the same id, later and later, and gives up after a day", async () => {
    const own = await world({ status: 500 })
    const { data } = await create(own, { type: "webhook", config: { url } })
    await deny(own)
    const begin = installation.clock.now
    for (;;) {
      await send()
      const [delivery] = await deliveries(own)
      if (delivery.status !== "waiting") break
      assert.deepInclude(delivery, { last_status: 500, last_message: "The receiver answered 500." })
      const next = Date.parse(delivery.next_attempt_at)
      const wait = next - installation.clock.now
      assert.isAbove(wait, 0)
      assert.isAtMost(wait, 1.125 * 1.2 * 900_000)
      installation.clock.now = next
    }
    assert.isAtLeast(installation.clock.now - begin, 23 * hour)
    assert.isAtMost(installation.clock.now - begin, 24 * hour)
    const [delivery] = await deliveries(own)
    assert.deepInclude(delivery, { channel_id: data.id, status: "failed", attempts: received.length })
    assert.strictEqual(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1)
    assert.isAbove(received.length, 90)
    assert.notInclude(JSON.stringify(await deliveries(own)), "secret of the receiver")
  })

  it("waits as long as a receiver asks, and follows no redirect", async () => {
    const own = await world({ status: 429, headers: { "retry-after": "1800" } })
    await create(own, { type: "webhook", config: { url } })
    await deny(own)
    await send()
    installation.clock.now += 1_799_000
    assert.strictEqual(await send(), 0)
    answer = { status: 307, headers: { location: `${url}/elsewhere` } }
    installation.clock.now += 1_000
    assert.strictEqual(await send(), 1)
    assert.deepEqual(
      received.map(({ path }) => path),
      ["/", "/"]
    )
    assert.deepInclude((await deliveries(own))[0], { status: "waiting", last_status: 307 })
  })

  it.each([
    [400, "failed"],
    [401, "failed"],
    [403, "failed"],
    [404, "failed"],
    [410, "failed"],
    [422, "failed"],
    [408, "waiting"],
    [425, "waiting"],
    [429, "waiting"],
    [302, "waiting"],
    [503, "waiting"]
  ])("after an answer of %i the delivery is %s", async (status, expected) => {
    const own = await world({ status })
    await create(own, { type: "webhook", config: { url } })
    await deny(own)
    await send()
    assert.deepInclude((await deliveries(own))[0], { status: expected, attempts: 1, last_status: status })
  })

  it("a receiver in a private network is not called unless that is allowed", async () => {
    received.length = 0
    const gatewarden = await createGatewarden({ store: memory(), managementKey: "m".repeat(40) })
    const call = async (path: string, body?: object) => {
      const response = await gatewarden.fetch(
        new Request(`http://host/api/v1${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${"m".repeat(40)}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      )
      return (await response.json()) as { readonly data: { readonly id: string; readonly delivered: boolean } }
    }
    for (const address of [url, "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://localhost/"]) {
      const made = await call("/gateway/alert-channels", { name: "x", type: "webhook", config: { url: address } })
      assert.isFalse((await call(`/gateway/alert-channels/${made.data.id}/test`)).data.delivered)
    }
    assert.deepEqual(received, [])
    await gatewarden.close()
  })
})

const detectOnce = Effect.flatMap(Alerts, (alerts) => alerts.detect(100))

/** Runs what asks the process for the time at another time. */
const verifiedAt = <A>(now: number, verify: () => A): A => {
  const real = Date.now
  Date.now = () => now
  try {
    return verify()
  } finally {
    Date.now = real
  }
}
