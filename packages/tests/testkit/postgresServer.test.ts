import { PgConnection } from "@effect/sql-pg"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import type { PostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"

const connect = (url: string) => PgConnection.make({ url: Redacted.make(url) })

const query = (url: string, ...statements: readonly string[]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* connect(url)
      const results = yield* Effect.forEach(statements, (statement) => connection.query(statement))
      return results.at(-1)?.rows
    })
  )

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const server = (options: { readonly durable?: boolean } = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startPostgresServer({ ...options, embedded: true })),
    ({ stop }: PostgresServer) => Effect.promise(stop)
  )

describe("startPostgresServer", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.live("comes back after a kill with all that was committed, at the same URL", () =>
    Effect.gen(function* () {
      const { createDatabase, kill, restart } = yield* server()
      const url = yield* Effect.promise(createDatabase)
      yield* query(url, "create table kept (id int)", "insert into kept values (1)")
      const open = yield* connect(url)
      yield* open.query("begin")
      yield* open.query("insert into kept values (2)")
      const running = yield* Effect.forkChild(
        Effect.exit(query(url, "select count(*) from generate_series(1, 100000000000)"))
      )
      yield* Effect.repeat(
        query(
          url,
          "select from pg_stat_activity where query like '%generate_series(%' and state = 'active' and pid <> pg_backend_pid()"
        ),
        {
          until: (rows) => rows?.length === 1
        }
      )
      yield* Effect.promise(kill)
      assert.strictEqual((yield* Effect.flip(open.query("commit"))).reason._tag, "ConnectionError")
      assert.strictEqual((yield* Effect.flip(query(url, "select 1"))).reason._tag, "ConnectionError")
      assert.strictEqual((yield* Fiber.join(running))._tag, "Failure")
      yield* Effect.promise(restart)
      assert.deepStrictEqual(yield* query(url, "select id from kept"), [{ id: 1 }])
    })
  )

  it.live("starts several at once, durable or not, and leaves neither processes nor files", () =>
    Effect.gen(function* () {
      const facts = yield* Effect.scoped(
        Effect.gen(function* () {
          const servers = yield* Effect.all([server(), server({ durable: true })], { concurrency: "unbounded" })
          const settings = yield* Effect.forEach(servers, ({ url }) =>
            query(
              url,
              `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('max_connections') as connections, current_setting('data_directory') as directory`
            )
          )
          return settings.flatMap((rows) => rows ?? [])
        })
      )
      assert.deepStrictEqual(
        facts.map(({ fsync, commit, connections }) => [fsync, commit, connections]),
        [
          ["off", "on", "200"],
          ["on", "on", "200"]
        ]
      )
      for (const { directory } of facts) assert.isFalse(existsSync(String(directory)))
    })
  )

  it.live("makes its databases on the server of DATABASE_URL, and drops them", () =>
    Effect.gen(function* () {
      vi.stubEnv("DATABASE_URL", inject("postgres").url)
      const borrowed = yield* Effect.promise(() => startPostgresServer())
      const urls = yield* Effect.promise(() => Promise.all([borrowed.createDatabase(), borrowed.createDatabase()]))
      assert.notStrictEqual(urls[0], urls[1])
      const open = yield* connect(urls[0])
      const names = `select datname from pg_database where starts_with(datname, '${borrowed.databasePrefix}')`
      assert.strictEqual((yield* query(borrowed.url, names))?.length, 2)
      yield* Effect.promise(borrowed.stop)
      assert.deepStrictEqual(yield* query(borrowed.url, names), [])
      yield* Effect.flip(open.query("select 1"))
      yield* Effect.promise(() =>
        borrowed.kill().then(
          () => assert.fail("killed a server that is not ours"),
          () => {}
        )
      )
    })
  )
})

describe("postgresSupervisor", () => {
  it("stops the server and removes the directory when its parent is gone", async () => {
    const directory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
    const supervisor = spawn(
      process.execPath,
      [
        fileURLToPath(new URL("../../testkit/src/stores/postgresSupervisor.js", import.meta.url)),
        JSON.stringify({
          directory,
          command: process.execPath,
          args: ["-e", "setInterval(() => {}, 1000)"],
          log: join(directory, "server.log")
        })
      ],
      { stdio: ["pipe", "pipe", "inherit"] }
    )
    supervisor.stdin.write("start\n")
    const [line] = (await once(supervisor.stdout, "data")) as [Buffer]
    const pid = Number(/^started (\d+)\n$/.exec(line.toString())?.[1])
    supervisor.kill("SIGINT")
    supervisor.kill("SIGTERM")
    assert.isTrue(isAlive(pid))
    supervisor.stdout.destroy()
    supervisor.stdin.destroy()
    assert.deepStrictEqual(await once(supervisor, "exit"), [0, null])
    assert.isFalse(isAlive(pid))
    assert.isFalse(existsSync(directory))
  })
})
