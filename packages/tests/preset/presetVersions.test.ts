/**
 * Versions of a preset under concurrency: 1, 2, 3 … without gap, none refused, the newest designated; from its creation on.
 *
 * Rule: presets#versions. On PostgreSQL eight instances, each with connections of its own, share one database.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { type Answer, World } from "@gatewarden/conformance/internal/World"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { stores } from "@gatewarden/testkit/stores/stores"

const clients = 8
const posts = 30

const started: Installation[] = []
afterAll(async () => {
  for (const installation of started) await installation.stop()
})

const start = async (store: typeof stores.memory): Promise<Installation> => {
  const installation = await Installation.start({ store, door: fetchDoor })
  started.push(installation)
  return installation
}

/** Eight worlds of one account, each through the instance that it is given. */
const worldsThrough = async (installations: readonly Installation[]): Promise<readonly World[]> => {
  const first = await (installations[0] ?? assert.fail()).newWorld()
  return Array.from(
    { length: clients },
    (_, index) => new World(installations[index % installations.length] ?? assert.fail(), first)
  )
}

const versionOf = ({ json }: Answer): number => json.data.designated_version.version

const race = async (worlds: readonly World[]): Promise<void> => {
  const params = { slug: "raced" }
  const answers = await Promise.all(
    worlds.flatMap((world, client) =>
      Array.from({ length: posts }, (_, index) =>
        world.call("createPreset", {
          params,
          body: { messages: [{ role: "system", content: `${client}` }], seed: client * posts + index }
        })
      )
    )
  )
  for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
  const ordered = [...answers].sort((a, b) => versionOf(a) - versionOf(b))
  assert.deepEqual(
    ordered.map(versionOf),
    answers.map((_, index) => index + 1)
  )
  assert.strictEqual(new Set(ordered.map(({ json }) => json.data.id)).size, 1)
  assert.strictEqual(new Set(ordered.map(({ json }) => json.data.designated_version_id)).size, answers.length)
  // Each version holds what its own request sent.
  assert.strictEqual(new Set(answers.map(({ json }) => json.data.designated_version.config.seed)).size, clients * posts)
  for (const world of worlds) {
    const read = await world.call("getPreset", { params })
    assert.strictEqual(read.text, ordered.at(-1)?.text)
  }
}

describe("versions of one preset, posted at once", () => {
  it(`${clients} × ${posts} in memory`, async () => {
    await race(await worldsThrough([await start(stores.memory)]))
  })

  it(`${clients} × ${posts} through ${clients} instances on one PostgreSQL`, async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const installations: Installation[] = []
    for (let index = 0; index < clients; index++)
      installations.push(
        await start(layerPostgresStore({ url: Redacted.make(url), maxConnections: 4, writeConnections: 8 }))
      )
    await race(await worldsThrough(installations))
  })
})

describe("long versions of one preset", () => {
  it("are read in slices, and listed whole", async () => {
    const world = await (await start(stores.PostgreSQL)).newWorld()
    const params = { slug: "long" }
    const prompts = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(900_000))
    for (const content of prompts) {
      const answer = await world.call("createPreset", { params, body: { messages: [{ role: "system", content }] } })
      assert.strictEqual(answer.status, 200)
    }
    const listed = await world.call("listPresetVersions", { params, query: { limit: "4", offset: "1" } })
    assert.strictEqual(listed.json.total_count, 5)
    const found: readonly { readonly version: number; readonly system_prompt: string }[] = listed.json.data
    assert.deepEqual(
      found.map(({ version, system_prompt }) => [version, system_prompt.length, system_prompt[0]]),
      [2, 3, 4, 5].map((version) => [version, 900_000, prompts[version - 1]?.[0]])
    )
    const past = await world.call("listPresetVersions", { params, query: { limit: "4", offset: "9" } })
    assert.deepEqual(past.json, { data: [], total_count: 5 })
  })
})
