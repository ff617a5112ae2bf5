/** What arrives at a platform on this machine, over HTTP, of what is recorded through the API: filters, keys, samples and bodies. */
import { dispatchDue, type Fetch, OutgoingFetch } from "@gatewarden/core/internal"
import { guardedFetch } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { idsIn } from "@gatewarden/testkit/delivery/deliverySuite"
import { readableStream } from "@gatewarden/conformance/internal/delivery/readableStream"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import type { World } from "@gatewarden/conformance/internal/World"

const textRules = {
  equals: ["alpha-beta", ["m"]],
  not_equals: ["alpha-beta", ["o"]],
  contains: ["ha-b", ["m"]],
  not_contains: ["ha-b", ["o"]],
  regex: ["^alpha", ["m"]],
  starts_with: ["alpha", ["m"]],
  ends_with: ["beta", ["m"]],
  gt: [0, []],
  lt: [9, []],
  gte: [0, []],
  lte: [9, []],
  exists: [undefined, ["m", "o"]],
  not_exists: [undefined, []]
} as const

const numberRules = {
  equals: [5, ["m"]],
  not_equals: [5, ["o"]],
  contains: ["5", ["m"]],
  not_contains: ["5", ["o"]],
  regex: ["^5", ["m"]],
  starts_with: ["5", ["m"]],
  ends_with: ["5", ["m"]],
  gt: [4, ["m"]],
  lt: [2, ["o"]],
  gte: [5, ["m"]],
  lte: [1, ["o"]],
  exists: [undefined, ["m", "o"]],
  not_exists: [undefined, []]
} as const

/** The fields of an event that has the value, where it is text, or the number. */
const fieldsOf = {
  model: (value: string) => ({ model: value }),
  provider: (value: string) => ({ provider: value }),
  session_id: (value: string) => ({ session_id: value }),
  user_id: (value: string) => ({ user_id: value }),
  finish_reason: (value: string) => ({ finish_reason: value }),
  input: (value: string) => ({ input: value }),
  output: (value: string) => ({ output: value })
}
const numbersOf = {
  total_cost: (value: number) => ({ cost_usd: String(value) }),
  total_tokens: (value: number) => ({ prompt_tokens: value }),
  prompt_tokens: (value: number) => ({ prompt_tokens: value }),
  completion_tokens: (value: number) => ({ completion_tokens: value })
}

const eventOf = (id: string, fields: object) => ({
  ...{ id, created_at: "2026-03-04T11:00:00.000Z", model: "acme/sonnet", provider: "acme", cost_usd: "0" },
  ...{ prompt_tokens: 0, completion_tokens: 0 },
  ...fields
})

describe("what arrives over HTTP", () => {
  let installation: Installation
  let database: string
  let server: Server
  let origin: string
  let status = 200
  /** By the first segment of the path. */
  const arrived = new Map<string, string[]>()
  const bodies: string[] = []
  const outgoing = guardedFetch({ allowPrivate: true })
  /** Whose connections each request may share. */
  const parties: (string | undefined)[] = []
  const fetch: Fetch = (url, init) => {
    parties.push(init.connectionsOf)
    return outgoing(url, init)
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const body = Buffer.concat(pieces).toString("utf8")
        const place = request.url?.split("/")[1] ?? ""
        bodies.push(body)
        arrived.set(place, [...(arrived.get(place) ?? []), ...idsIn(body)])
        response.writeHead(status, { "content-type": "application/json" }).end("{}")
      })
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    database = await createMigratedDatabase(inject("postgres"))
    const store = layerPostgresStore({ url: Redacted.make(database), notifications: false })
    installation = await Installation.start({ store, door: fetchDoor })
    Object.assign(installation.issuers, { fetch })
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await installation?.stop()
  })
  beforeEach(() => {
    arrived.clear()
    bodies.length = 0
    parties.length = 0
    status = 200
  })

  const dispatch = () =>
    installation.run(Effect.provideService(Effect.andThen(readableStream, dispatchDue), OutgoingFetch, fetch))
  const record = async (world: World, ...events: readonly object[]) => {
    const sent = await world.call("recordUsageEvents", {
      key: world.managementKey,
      body: { events: events.map((event) => ({ ...event, workspace_id: world.workspace_id })) }
    })
    assert.strictEqual(sent.status, 200, sent.text)
  }
  const newWebhook = async (world: World, place: string, fields: object = {}): Promise<string> => {
    const body = { type: "webhook", config: { url: `${origin}/${place}` }, ...fields }
    return (await world.call("createDestination", { body })).json.data.id
  }
  /** Five destinations of a type are allowed, so three types take one operator each. */
  const newTarget = async (world: World, place: string, index: number): Promise<string> => {
    if (index < 5) return newWebhook(world, place)
    const address = `${origin}/${place}`
    const body =
      index < 10
        ? { type: "otel-collector", config: { endpoint: address } }
        : { type: "grafana", config: { baseUrl: address, instanceId: "1", apiKey: "glc_0123456789abcdef" } }
    return (await world.call("createDestination", { body })).json.data.id
  }

  it("of every field and operator of filter_rules", { tags: ["deep"], timeout: 120_000 }, async () => {
    const world = await installation.newWorld()
    const operators = Object.keys(textRules) as (keyof typeof textRules)[]
    const targets = new Map<string, string>()
    for (const [index, operator] of operators.entries()) targets.set(operator, await newTarget(world, operator, index))
    const hashes: string[] = []
    for (const name of ["alpha-beta", "gamma"])
      hashes.push((await world.call("createKey", { body: { name } })).json.data.hash)
    const rounds = [
      ...Object.entries(fieldsOf).map(([field, of]) => [field, textRules, of("alpha-beta"), of("gamma")] as const),
      ["api_key_name", textRules, { api_key_hash: hashes[0] }, { api_key_hash: hashes[1] }] as const,
      ...Object.entries(numbersOf).map(([field, of]) => [field, numberRules, of(5), of(1)] as const)
    ]
    assert.lengthOf(rounds, 12)
    for (const [field, rules, match, other] of rounds) {
      arrived.clear()
      for (const operator of operators) {
        const [value] = rules[operator]
        const rule = { field, operator, ...(value === undefined ? {} : { value }) }
        const changed = await world.call("updateDestination", {
          params: { id: targets.get(operator) ?? "" },
          body: { filter_rules: { groups: [{ rules: [rule] }] } }
        })
        assert.strictEqual(changed.status, 200, changed.text)
      }
      await record(world, eventOf(`${field} m`, match), eventOf(`${field} o`, other))
      await dispatch()
      for (const operator of operators) {
        const expected = rules[operator][1].map((which) => `${field} ${which}`)
        assert.deepEqual(arrived.get(operator) ?? [], expected, `${field} ${operator}`)
      }
    }
  })

  it("of keys and samples that a destination takes", async () => {
    const world = await installation.newWorld()
    await newWebhook(world, "keys", { api_key_hashes: [world.normalKeyHash] })
    await newWebhook(world, "half", { sampling_rate: 0.5 })
    await newWebhook(world, "all")
    const events = Array.from({ length: 60 }, (_, index) =>
      eventOf(`e${index}`, {
        session_id: `s${index % 20}`,
        ...(index === 7 ? { api_key_hash: world.normalKeyHash } : {})
      })
    )
    await record(world, ...events)
    await dispatch()
    assert.deepEqual(arrived.get("keys"), ["e7"])
    assert.lengthOf(arrived.get("all") ?? [], 60)
    const half = arrived.get("half") ?? []
    const sessions = new Set(half.map((id) => Number(id.slice(1)) % 20))
    assert.isAbove(sessions.size, 0)
    assert.isBelow(sessions.size, 20)
    // A session is in the sample as a whole.
    assert.lengthOf(half, sessions.size * 3)
  })

  it("of bodies: encrypted while they wait, and nowhere once they have arrived", async () => {
    const canary = "canary-9f8e7d6c5b4a"
    const tablesWith = async (): Promise<readonly string[]> => {
      const tables = await execute(
        database,
        "select relname as name from pg_class where relkind = 'r' and relname like 'gatewarden%'"
      )
      const found: string[] = []
      for (const { name } of tables) {
        const hex = Buffer.from(canary).toString("hex")
        const [row] = await execute(
          database,
          `select count(*)::int as n from ${String(name)} t where t::text like '%${canary}%' or t::text like '%${hex}%'`
        )
        if (row?.n !== 0) found.push(String(name))
      }
      return found
    }
    const sealed = async () =>
      (await execute(database, "select count(*)::int as n from gatewarden_delivery where sealed_bodies is not null"))[0]
        ?.n
    const world = await installation.newWorld()
    await newWebhook(world, "private", { privacy_mode: true })
    await record(world, eventOf("first", { input: `${canary} in`, output: `${canary} out` }))
    assert.strictEqual(await sealed(), 0)
    await newWebhook(world, "open")
    await record(world, eventOf("second", { input: `${canary} in`, output: `${canary} out` }))
    assert.strictEqual(await sealed(), 1)
    assert.deepEqual(await tablesWith(), [])
    await dispatch()
    assert.deepEqual(arrived.get("private"), ["first", "second"])
    assert.deepEqual(arrived.get("open"), ["second"])
    assert.lengthOf(
      bodies.filter((body) => body.includes(canary)),
      1
    )
    assert.deepEqual(await tablesWith(), [])
    const [left] = await execute(database, "select count(*)::int as n from gatewarden_delivery")
    assert.strictEqual(left?.n, 0)
  })

  it("of a test, a refusal and a replay", async () => {
    const world = await installation.newWorld()
    const id = await newWebhook(world, "hook")
    const test = await world.call("testDestination", { params: { id } })
    assert.deepInclude(test.json.data, { outcome: "delivered", status: 200, message: null })
    assert.match(arrived.get("hook")?.[0] ?? "", /^gatewarden-test-/)
    arrived.clear()
    status = 400
    assert.deepInclude((await world.call("testDestination", { params: { id } })).json.data, {
      outcome: "refused",
      status: 400
    })
    await record(world, eventOf("a", { input: "kept for later" }))
    await dispatch()
    const letters = await world.call("listDeadLetters", { params: { id } })
    assert.deepInclude(letters.json.data[0], { event_id: "a", status: 400 })
    const log = await world.call("listDeliveries", { params: { id } })
    assert.deepInclude(log.json.data[0], { outcome: "refused", events: 1, refused: 1, status: 400 })
    status = 200
    arrived.clear()
    bodies.length = 0
    const replayed = await world.call("replayDeadLetters", { params: { id }, body: { event_ids: ["a"] } })
    assert.deepEqual(replayed.json.data, { replayed: 1, remaining: 0 })
    await dispatch()
    assert.deepEqual(arrived.get("hook"), ["a"])
    assert.include(bodies.join(), "kept for later")
    assert.deepInclude((await world.call("listDeliveries", { params: { id } })).json.status, {
      ...{ waiting: 0, delivered: 1, dead: 1, circuit: "closed" }
    })
  })

  it("over connections that a destination shares with no other, and with no test", async () => {
    const world = await installation.newWorld()
    const ids = [await newWebhook(world, "first"), await newWebhook(world, "second")]
    // Two requests for each.
    await record(world, ...Array.from({ length: 150 }, (_, index) => eventOf(`e${index}`, {})))
    await dispatch()
    assert.sameMembers(parties, [...ids, ...ids])
    for (const id of ids) await world.call("testDestination", { params: { id } })
    assert.deepEqual(parties.slice(4), [undefined, undefined])
    assert.lengthOf(new Set(arrived.get("first")), 151)
  })
})
