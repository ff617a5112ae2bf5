/** Two servers on one PostgreSQL, whose clocks differ. What both judge is written and judged by the clock of the database. */
import { fetchDoor, Installation, type OpenDoor } from "@gatewarden/conformance"
import { World } from "@gatewarden/conformance/internal/World"
import { LedgerClock } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { ask, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"

/** The clock of the process is turned by hand, that of the database is not. */
const databaseDoor: OpenDoor = (options) => Effect.provideService(fetchDoor(options), LedgerClock, "database")

const skewMillis = 90_000

describe("two servers whose clocks differ", () => {
  let installations: readonly Installation[] = []
  let world: World
  /** The same account at the server that is ahead. */
  let ahead: World

  beforeAll(async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const start = () =>
      Installation.start({ store: layerPostgresStore({ url: Redacted.make(url) }), door: databaseDoor })
    const [one, other] = [await start(), await start()]
    installations = [one, other]
    one.clock.now = Date.now()
    other.clock.now = Date.now() + skewMillis
    world = await one.newWorld()
    ahead = new World(other, world)
  })
  afterAll(() => Promise.all(installations.map((installation) => installation.stop())))

  const statusOf = async (at: World, key: string) => (await at.call("getCurrentKey", { key })).status

  it("refuse a former secret at once, wherever the key was rotated with an overlap of 0", async () => {
    const made = await world.call("createKey", { body: { name: "rotated" } })
    const { hash } = made.json.data
    const former = made.json.key
    assert.strictEqual(await statusOf(world, former), 200)
    const rotated = await ahead.call("rotateKey", { params: { hash }, body: { overlap_seconds: 0 } })
    assert.deepInclude(rotated.json.predecessor, { disabled: true })
    assert.isBelow(Math.abs(Date.parse(rotated.json.predecessor.expires_at) - Date.now()), skewMillis / 2)
    // By then the server that is behind has read of the change.
    world.installation.clock.now += 2_000
    assert.strictEqual(await statusOf(world, former), 401)
    assert.strictEqual(await statusOf(world, rotated.json.key), 200)
    const asked = { api_key_hash: hash, model: "openai/gpt-4o", max_completion_tokens: 1 }
    const admitted = await world.call("createAdmission", { key: world.gatewayKey, body: asked })
    assert.strictEqual(admitted.json.data.error?.metadata.reason, "revoked_api_key")
  })

  it("refuse a management key at once, wherever it was revoked", async () => {
    const made = await world.call("createManagementKey", { body: { name: "revoked" } })
    const key = made.json.key
    const isAccepted = async () => (await world.call("listKeys", { key })).status === 200
    assert.isTrue(await isAccepted())
    const revoked = await ahead.call("deleteManagementKey", { params: { hash: made.json.data.hash } })
    assert.strictEqual(revoked.status, 200, revoked.text)
    world.installation.clock.now += 2_000
    assert.isFalse(await isAccepted())
  })

  it("take the retry of an exchange for a retry, whichever of them it reaches", async () => {
    const body = { callback_url: "http://localhost:3000/callback" }
    const created = await world.call("createAuthorizationCode", { body })
    const exchange = (at: World) => at.call("exchangeAuthorizationCode", { body: { code: created.json.data.id } })
    const exchanged = await exchange(world)
    assert.strictEqual(exchanged.status, 200)
    assert.strictEqual((await exchange(ahead)).status, 403)
    assert.strictEqual(await statusOf(world, exchanged.json.key), 200)
    assert.strictEqual(await statusOf(ahead, exchanged.json.key), 200)
  })

  it("show of a key in its usage what its budgets show", async () => {
    const made = await world.call("createKey", { body: { name: "limited", limit: 1 } })
    const { sonnet: model } = await openMarket(world)
    const api_key_hash = made.json.data.hash
    const held = await ask(world, { model, api_key_hash, max_cost_usd: "0.25", hold_seconds: 60 })
    assert.strictEqual(held.json.data.decision, "allow", held.text)
    for (const at of [world, ahead]) {
      const { data } = (await at.call("getCurrentKey", { key: made.json.key })).json
      assert.strictEqual(data.limit_remaining, 0.75)
      assert.strictEqual(data.budgets[0].remaining_usd, 0.75)
    }
  })
})
