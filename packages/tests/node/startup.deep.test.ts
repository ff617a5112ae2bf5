/**
 * Servers that start together, are killed while they start, find a database that is not theirs, or lose it while they run.
 *
 * Rule: operating#first-line, operating#shutdown.
 */
import { assert, describe, it } from "@effect/vitest"
import { exitCode } from "@gatewarden/node/internal"
import { layerPostgresStore, migrations } from "@gatewarden/postgres/internal"
import { Effect, Layer, Redacted, References } from "effect"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createDatabase, execute, freePort, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"

const { launch, start } = serverFleet()

const onPostgres = (url: string) => ({
  DATABASE_URL: url,
  GATEWARDEN_KEYRING: `k1:${Buffer.alloc(32, 7).toString("base64")}`
})

const occurrences = (text: string, part: string): number => text.split(part).length - 1

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

const appliedIn = async (url: string) =>
  (await execute(url, "select id, name from gatewarden_migration order by id")).map(({ id, name }) => ({ id, name }))

const first = migrations[0]?.id ?? 0
const known = migrations.map(({ id, name }) => ({ id, name }))

const migrated = async (): Promise<string> => {
  const url = await createDatabase(inject("postgres"))
  const build = Effect.scoped(Layer.build(layerPostgresStore({ url: Redacted.make(url) })))
  await Effect.runPromise(Effect.provideService(build, References.MinimumLogLevel, "None"))
  return url
}

describe("servers on one empty database", () => {
  it("start five at once and make one of everything", async () => {
    const url = await createDatabase(inject("postgres"))
    const root = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
    try {
      const servers = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          start({
            dataDirectory: join(root, String(index)),
            environment: { ...onPostgres(url), GATEWARDEN_MANAGEMENT_KEY: "", GATEWARDEN_LOG_LEVEL: "debug" }
          })
        )
      )
      const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith("management-key"))
      assert.lengthOf(files, 1)
      const key = (await readFile(join(root, files[0] ?? ""), "utf8")).trim()
      for (const server of servers) {
        assert.strictEqual((await callServer(server.url, "GET", "//readyz")).status, 200)
        assert.strictEqual((await callServer(server.url, "GET", "/workspaces/default", { key })).status, 200)
        assert.notInclude(server.stderr(), key)
      }
      const said = servers.map(({ stderr }) => stderr()).join("")
      assert.strictEqual(occurrences(said, "management key of the account"), 1)
      for (const { id } of migrations) assert.strictEqual(occurrences(said, `"id":${id},`), 1, `migration ${id}`)
      assert.deepStrictEqual(await appliedIn(url), known)
      for (const table of ["gatewarden_account", "gatewarden_workspace", "gatewarden_api_key"]) {
        const [row] = await execute(url, `select count(*)::int as count from ${table}`)
        assert.strictEqual(row?.["count"], 1, table)
      }
      assert.deepStrictEqual(await Promise.all(servers.map(({ stop }) => stop())), [0, 0, 0, 0, 0])
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })

  it("do not serve before the schema is whole, and take over from one that was killed half-way", async () => {
    const url = await createDatabase(inject("postgres"))
    const gate = await openConnection(url)
    try {
      // The first migration stops at the gate, when its tables are made and nothing of it is committed.
      await execute(
        url,
        "create table gatewarden_migration (id integer primary key, name text not null, checksum text not null, applied_at timestamptz not null)",
        `create function pass_gate() returns trigger language plpgsql as $$
          begin
            -- Not by waiting for the lock, which a migration gives up soon.
            while not pg_try_advisory_xact_lock(7) loop perform pg_sleep(0.02); end loop;
            return new;
          end $$`,
        `create trigger gate before insert on gatewarden_migration for each row when (new.id = ${first}) execute function pass_gate()`
      )
      await gate.query("select pg_advisory_lock(7)")
      const port = await freePort()
      const options = { environment: { ...onPostgres(url), PORT: String(port) } }

      const killed = await launch(options)
      await eventually("a migration at the gate", async () => {
        const waiting = await gate.query(
          "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query like 'insert%'"
        )
        return waiting.length === 1 ? true : undefined
      })
      assert.deepStrictEqual(await appliedIn(url), [])
      assert.isFalse(await isOpen(port))
      await killed.kill()
      assert.strictEqual(killed.stdout(), "")

      // The database does not know yet that the first is gone, and holds its locks.
      const second = await launch(options)
      await eventually("the second to wait", async () =>
        second.stderr().includes("Another process migrates the database") ? true : undefined
      )
      assert.isFalse(await isOpen(port))
      assert.deepStrictEqual(await appliedIn(url), [])

      await gate.query("select pg_advisory_unlock(7)")
      const served = await second.listening
      assert.deepStrictEqual(await appliedIn(url), known)
      assert.strictEqual((await callServer(served, "GET", "/workspaces/default")).status, 200)
      assert.strictEqual(await second.stop(), 0)
    } finally {
      await gate.close()
    }
  })
})

describe("a server and a database of another version", () => {
  const refused = async (statement: string) => {
    const url = await migrated()
    await execute(url, statement)
    const port = await freePort()
    const server = await launch({ environment: { ...onPostgres(url), PORT: String(port) } })
    assert.strictEqual(await server.ended, exitCode.configuration)
    assert.strictEqual(server.stdout(), "")
    const lines = server.stderr().trimEnd().split("\n")
    assert.lengthOf(lines, 1)
    return lines[0]
  }
  const last = migrations.at(-1)?.id ?? 0

  it("refuses one that a newer version has migrated", async () => {
    assert.strictEqual(
      await refused(`insert into gatewarden_migration values (${last + 1}, 'later', repeat('0', 64), now())`),
      `gatewarden: The database is at migration ${last + 1}, and this version of Gatewarden knows only ${last}. Run a version at least as new as the one that migrated it.`
    )
  })

  it("refuses one that an unreleased state has made", async () => {
    assert.strictEqual(
      await refused(
        "with former as (delete from gatewarden_migration) insert into gatewarden_migration select 38, 'charged_sums', repeat('0', 64), now()"
      ),
      "gatewarden: An unreleased state of Gatewarden made this database (its last migration is 38), and no release upgrades it. " +
        "Start with an empty database. To read its data, run the state that made it."
    )
  })

  it("refuses one whose migrations had another text", async () => {
    assert.strictEqual(
      await refused(`update gatewarden_migration set checksum = repeat('0', 64) where id = ${first}`),
      `gatewarden: Migration ${first} (baseline) was applied with another text. Restore its text; a change is a new migration.`
    )
  })
})

describe("a server whose database goes away", () => {
  it("says so in every answer, is ready again soon after it is back, and has lost nothing", async () => {
    const postgres = await startPostgresServer({ embedded: true })
    try {
      const { url } = await start({ environment: onPostgres(await postgres.createDatabase()) })
      const acknowledged: string[] = []
      let made = 0
      const create = async () => {
        const answer = await callServer(url, "POST", "/guardrails", { body: { name: `number ${++made}` } })
        if (answer.status === 200) acknowledged.push(answer.json.data.id)
        return answer
      }
      const assertDown = ({ status, json, headers }: Awaited<ReturnType<typeof create>>) => {
        if (status === 503) assert.match(headers.get("retry-after") ?? "", /^\d+$/)
        else assert.strictEqual(status, 500)
        assert.include(["store_unavailable", "outcome_unknown"], json.error.metadata.reason)
      }

      // Several at a time are on their way when it happens.
      const untilDown = async () => {
        for (;;) {
          const answer = await create()
          if (answer.status !== 200) return assertDown(answer)
        }
      }
      const writers = Promise.all(Array.from({ length: 4 }, untilDown))
      await eventually("some writes", async () => (acknowledged.length > 20 ? true : undefined))
      await postgres.kill()
      await writers
      await eventually("not ready", async () => {
        const answer = await callServer(url, "GET", "//readyz")
        if (answer.status === 200) return undefined
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(answer.json.error.metadata.reason, "store_unavailable")
        return true
      })
      assert.strictEqual((await callServer(url, "GET", "//livez")).status, 200)
      // Reads and writes, both pools, operations that declare 503 and such that do not, a key that has to be looked up.
      await Promise.all([
        create().then(assertDown),
        callServer(url, "GET", `/guardrails/${acknowledged[0]}`).then(assertDown),
        callServer(url, "POST", "/analytics/query", { body: { metrics: ["request_count"] } }).then(assertDown),
        callServer(url, "GET", "/datasets/rankings-daily").then(assertDown),
        callServer(url, "DELETE", "/files/gw_file_x").then(assertDown),
        callServer(url, "GET", "/workspaces/default", { key: "nobody-has-seen-this-key-before-now" }).then(assertDown)
      ])

      await postgres.restart()
      await eventually("ready again", async () =>
        (await callServer(url, "GET", "//readyz")).status === 200 ? true : undefined
      )
      for (const id of acknowledged)
        assert.strictEqual((await callServer(url, "GET", `/guardrails/${id}`)).status, 200, id)
      assert.strictEqual((await create()).status, 200)
      assert.strictEqual(
        (await callServer(url, "POST", "/analytics/query", { body: { metrics: ["request_count"] } })).status,
        200
      )
    } finally {
      await postgres.stop()
    }
  })
})
