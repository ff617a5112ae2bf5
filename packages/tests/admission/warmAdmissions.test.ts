/**
 * What an admission asks of the store when everything it stands on was looked up before: nothing, but for one look at the log of
 * changes a second.
 *
 * Source: docs/decisions/0004-changes.md. Everything that a store does is a call of a port, so calls are what is counted.
 */
import { fetchDoor } from "@gatewarden/conformance"
import { assert, it } from "@effect/vitest"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { ask, openMarket, restrict } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import type { Answer, World } from "@gatewarden/conformance/internal/World"
import { wrapPorts } from "@gatewarden/conformance/internal/wrapPorts"

/** Nothing is heard, as that too looks at the log: what is counted is what requests ask for. */
const layerUnheard = Layer.unwrap(
  Effect.map(
    Effect.promise(() => createMigratedDatabase(inject("postgres"))),
    (url) => layerPostgresStore({ url: Redacted.make(url), notifications: false })
  )
)

/** An installation whose calls of its store are noted while `warmly` runs. */
const watched = async (warmly: (installation: Installation, calls: string[]) => Promise<void>) => {
  const calls: string[] = []
  const store = wrapPorts(layerUnheard, (port, effect) =>
    Effect.suspend(() => {
      calls.push(port)
      return effect
    })
  )
  const installation = await Installation.start({ store, door: fetchDoor })
  try {
    await warmly(installation, calls)
  } finally {
    await installation.stop()
  }
}

const admits = (world: World, model: string) => async () => {
  const { status, json } = await ask(world, { model })
  assert.strictEqual(status, 200)
  assert.strictEqual(json.data.decision, "allow")
}

it("a warm admission without budgets costs no statement, and a second of them costs one", () =>
  watched(async (installation, calls) => {
    const world = await installation.newWorld()
    const { sonnet } = await openMarket(world)
    const admit = admits(world, sonnet)
    await admit()
    // The log tells of what was prepared here, too.
    installation.clock.now += 1_000
    await admit()
    const seconds = 5
    for (let second = 0; second < seconds; second++) {
      installation.clock.now += 1_000
      calls.length = 0
      await Promise.all(Array.from({ length: 20 }, admit))
      for (let more = 0; more < 20; more++) {
        installation.clock.now += 49
        await admit()
      }
      assert.deepStrictEqual(calls, ["ChangeLog"])
    }
  }))

it("a warm settlement asks the ledger alone, whose entry it is", () =>
  watched(async (installation, calls) => {
    const world = await installation.newWorld()
    const { sonnet } = await openMarket(world)
    const settle = async () => {
      const { json } = await ask(world, { model: sonnet })
      calls.length = 0
      const event = {
        created_at: new Date(installation.clock.now).toISOString(),
        model: sonnet,
        provider: "openai",
        prompt_tokens: 1,
        completion_tokens: 1
      }
      const settled = await world.call("settleAdmission", { params: { id: json.data.id }, body: { event } })
      assert.strictEqual(settled.status, 200, settled.text)
    }
    await settle()
    installation.clock.now += 1_000
    await settle()
    await settle()
    assert.deepStrictEqual(calls, ["BudgetLedger"])
  }))

it("stays warm whatever others are refused, read or write", () =>
  watched(async (installation, calls) => {
    const [world, other] = [await installation.newWorld(), await installation.newWorld()]
    const { sonnet } = await openMarket(world)
    const guarded = await world.call("createGuardrail", { body: { name: "Key", allowed_models: [sonnet] } })
    await world.call("assignKeys", {
      params: { id: guarded.json.data.id },
      body: { key_hashes: [world.normalKeyHash] }
    })
    await world.call("createPreset", {
      params: { slug: "mild" },
      body: { model: sonnet, messages: [{ role: "user", content: "Hi" }] }
    })
    const admit = async () => {
      await admits(world, sonnet)()
      await admits(world, "@preset/mild")()
    }
    await admit()
    installation.clock.now += 1_000
    await admit()
    const staysWarm = async (what: string, request: () => Promise<Answer>, expected: number) => {
      const { status, text } = await request()
      assert.strictEqual(status, expected, `${what}: ${text}`)
      calls.length = 0
      await admit()
      assert.deepStrictEqual(calls, [], `after ${what}`)
    }
    const guardrail = { id: guarded.json.data.id }
    const own = { hash: world.normalKeyHash }

    // Nobody at all.
    await staysWarm(
      "an exchange without a code",
      () => other.call("exchangeAuthorizationCode", { body: {}, key: null }),
      400
    )
    await staysWarm(
      "an exchange of an unknown code",
      () => other.call("exchangeAuthorizationCode", { body: { code: "x".repeat(43) }, key: null }),
      403
    )
    await staysWarm("a write without a key", () => other.call("createKey", { body: { name: "k" }, key: null }), 401)
    // Its own account, refused or only reading.
    await staysWarm("a refused body", () => world.call("createKey", { body: {} }), 400)
    await staysWarm("a refused key", () => world.call("createKey", { body: { name: "k" }, key: world.normalKey }), 403)
    await staysWarm("a read", () => world.call("listKeys"), 200)
    // Another account, refused: what it names is foreign.
    await staysWarm(
      "a foreign guardrail",
      () => other.call("updateGuardrail", { params: guardrail, body: { name: "Mine" } }),
      404
    )
    await staysWarm("a foreign key", () => other.call("deleteKey", { params: own }), 404)
    await staysWarm("a refused write", () => other.call("createWorkspace", { body: { name: "" } }), 400)
    // Another account that writes all that decisions stand on.
    const made = await other.call("createKey", { body: { name: "k" } })
    const theirs = { hash: made.json.data.hash }
    await staysWarm("a key", () => other.call("createKey", { body: { name: "k" } }), 200)
    await staysWarm("a changed key", () => other.call("updateKey", { params: theirs, body: { limit: 1 } }), 200)
    await staysWarm(
      "rate limits",
      () => other.call("putKeyRateLimits", { params: theirs, body: { requests_per_minute: 1 } }),
      200
    )
    await staysWarm("a deleted key", () => other.call("deleteKey", { params: theirs }), 200)
    await staysWarm(
      "a guardrail",
      () => other.call("updateGuardrail", { params: { id: other.default_guardrail_id }, body: { name: null } }),
      400
    )
    await staysWarm("a restriction", () => restrict(other, { allowed_models: [sonnet] }), 200)
    await staysWarm(
      "a credential",
      () => other.call("createByokCredential", { body: { provider: "openai", key: "sk-x".repeat(9) } }),
      200
    )
    await staysWarm(
      "a preset",
      () =>
        other.call("createPreset", {
          params: { slug: "mild" },
          body: { model: sonnet, messages: [{ role: "user", content: "Hi" }] }
        }),
      200
    )
    await staysWarm(
      "models of its own",
      () =>
        other.call("putCatalog", {
          query: { account: "own" },
          body: { models: [catalogModel(`x-${crypto.randomUUID()}/y`)] }
        }),
      200
    )
    await staysWarm(
      "a catalog for all that is not its to write",
      () => other.call("putCatalog", { body: { models: [] }, key: other.managementKey }),
      403
    )
    const workspace = await other.call("createWorkspace", { body: { name: "Second", slug: "second" } })
    await staysWarm(
      "a deleted workspace",
      () => other.call("deleteWorkspace", { params: { id: workspace.json.data.id } }),
      200
    )
  }))

it("forgets its own account's change at once", () =>
  watched(async (installation) => {
    const world = await installation.newWorld()
    const { sonnet } = await openMarket(world)
    const admit = admits(world, sonnet)
    await admit()
    installation.clock.now += 1_000
    await admit()
    await restrict(world, { allowed_models: ["acme/none"] })
    assert.strictEqual((await ask(world, { model: sonnet })).json.data.decision, "deny")
    await restrict(world, { allowed_models: null })
    await admit()
    await world.call("updateKey", { params: { hash: world.normalKeyHash }, body: { disabled: true } })
    assert.strictEqual((await ask(world, { model: sonnet })).json.data.status, 401)
    assert.strictEqual((await world.call("getCurrentKey")).status, 401)
  }))
