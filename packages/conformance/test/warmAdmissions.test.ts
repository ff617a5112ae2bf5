/**
 * What an admission asks of the store when everything it stands on was looked up before: nothing, but for one look at the log of
 * changes a second.
 *
 * Source: decision 0004. Everything that a store does is a call of a port, so calls are what is counted.
 */
import { fetchDoor } from "@gatewarden/conformance"
import { assert, it } from "@effect/vitest"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { ask, openMarket } from "../src/http/admissionWorld.ts"
import { Installation } from "../src/Installation.ts"
import { createDatabase } from "../src/stores/postgresServer.ts"
import { wrapPorts } from "../src/wrapPorts.ts"

/** Nothing is heard, as that too looks at the log: what is counted is what requests ask for. */
const layerUnheard = Layer.unwrap(
  Effect.map(
    Effect.promise(() => createDatabase(inject("postgres"))),
    (url) => layerPostgresStore({ url: Redacted.make(url), notifications: false })
  )
)

it("a warm admission without budgets costs no statement, and a second of them costs one", async () => {
  const calls: string[] = []
  const store = wrapPorts(layerUnheard, (port, effect) =>
    Effect.suspend(() => {
      calls.push(port)
      return effect
    })
  )
  const installation = await Installation.start({ store, door: fetchDoor })
  try {
    const world = await installation.newWorld()
    const { sonnet } = await openMarket(world)
    const admit = async () => {
      const { status, json } = await ask(world, { model: sonnet })
      assert.strictEqual(status, 200)
      assert.strictEqual(json.data.decision, "allow")
    }
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
  } finally {
    await installation.stop()
  }
})
