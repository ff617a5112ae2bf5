/**
 * What a notification alone brings about: two instances on one database, and clocks that stand still, so that neither reads the log of
 * changes because a second has passed.
 */
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { inject } from "vitest"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { ask, openMarket, restrict } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { World } from "@gatewarden/conformance/internal/World"

const running: Installation[] = []
afterEach(() => Promise.all(running.splice(0).map((installation) => installation.stop())))

const listeners = `from pg_stat_activity where datname = current_database() and application_name = 'gatewarden notifications'`

/** A world, and the same one as another instance sees it. */
const openTwo = async (notifications?: boolean) => {
  const url = await createMigratedDatabase(inject("postgres"))
  const start = async () => {
    const store = layerPostgresStore({ url: Redacted.make(url), notifications })
    const installation = await Installation.start({ store, door: fetchDoor })
    running.push(installation)
    return installation
  }
  const world = await (await start()).newWorld()
  return { url, world, elsewhere: new World(await start(), world) }
}

const decision = async (world: World, model: string): Promise<unknown> => {
  const { status, json } = await ask(world, { model })
  assert.strictEqual(status, 200)
  return json.data.decision
}

describe("a change, while no time passes", () => {
  it("counts on the other instance, also after the sessions that listen were ended", async () => {
    const { url, world, elsewhere } = await openTwo()
    const { sonnet } = await openMarket(world)
    const decided = (wanted: string) =>
      eventually(wanted, async () => ((await decision(elsewhere, sonnet)) === wanted ? true : undefined))
    const sessions = () => execute(url, `select pid ${listeners} order by pid`)
    await decided("allow")
    await decision(world, sonnet)
    for (let round = 0; round < 3; round++) {
      // A session that does not hear yet asks once it does.
      const before = await eventually("two listeners", async () => {
        const found = await sessions()
        return found.length === 2 ? found : undefined
      })
      await restrict(world, { allowed_models: ["acme/none"] })
      await decided("deny")
      await restrict(world, { allowed_models: null })
      await decided("allow")
      await execute(url, `select pg_terminate_backend(pid) ${listeners}`)
      assert.lengthOf(before, 2)
    }
  })

  it("does not count there without notifications, for which it takes a second", async () => {
    const { url, world, elsewhere } = await openTwo(false)
    const { sonnet } = await openMarket(world)
    assert.strictEqual(await decision(elsewhere, sonnet), "allow")
    await restrict(world, { allowed_models: ["acme/none"] })
    assert.strictEqual(await decision(world, sonnet), "deny")
    assert.strictEqual(await decision(elsewhere, sonnet), "allow")
    elsewhere.installation.clock.now += 1_000
    assert.strictEqual(await decision(elsewhere, sonnet), "deny")
    assert.lengthOf(await execute(url, `select pid ${listeners}`), 0)
  })

  it("leaves no session behind when an instance is closed", async () => {
    const { url, world, elsewhere } = await openTwo()
    const { sonnet } = await openMarket(world)
    await decision(elsewhere, sonnet)
    await Promise.all(running.splice(0).map((installation) => installation.stop()))
    await eventually("no session", async () => {
      const found = await execute(
        url,
        "select 1 from pg_stat_activity where datname = current_database() and application_name like 'gatewarden%'"
      )
      return found.length === 0 ? true : undefined
    })
  })
})
