/** A store over a pool of the host: nothing of the host's is disturbed, and nothing of ours is left behind. */
import { createGatewarden } from "@gatewarden/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import { inject } from "vitest"
import { hostPool, hostValue } from "@gatewarden/testkit/stores/hostPool"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { AnalyticsSql, layerPool } from "../../postgres/src/internal.ts"
import { fromPool } from "../../postgres/src/index.ts"

const keyring = `k1:${Buffer.alloc(32, 3).toString("base64")}`
const managementKey = "pool-management-key-0123456789-01234"

const newDatabase = Effect.promise(() => createDatabase(inject("postgres")))

const opened = Effect.fnUntraced(function* (most?: number, options = {}) {
  const url = yield* newDatabase
  const pool = yield* hostPool(url, most)
  const context = yield* Layer.build(layerPool(pool, options))
  const clients = yield* Effect.provideContext(Effect.all([SqlClient.SqlClient, AnalyticsSql]), context)
  return { url, pool, sql: clients[0], analytics: clients[1] }
})

const sleep = "select pg_sleep(600)"

/** Statements that run for anybody but the one who asks. */
const active = (url: string) =>
  Effect.promise(() =>
    execute(
      url,
      "select query from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()"
    )
  )
const untilActive = (url: string) => Effect.repeat(active(url), { until: (rows) => rows.length > 0 })

const idle = ({ totalCount, idleCount, waitingCount }: pg.Pool) => totalCount === idleCount && waitingCount === 0

describe("giving up a statement", () => {
  it.live("cancels it in the database, and the client serves again", () =>
    Effect.gen(function* () {
      const { url, pool, sql } = yield* opened(2)
      const asking = yield* Effect.forkChild(sql.unsafe(sleep))
      yield* untilActive(url)
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(yield* active(url), [])
      assert.strictEqual(pool.totalCount, 2)
      assert.isTrue(idle(pool))
    })
  )

  it.live("rolls back the transaction that it was in", () =>
    Effect.gen(function* () {
      const { url, pool, sql } = yield* opened(2)
      yield* sql`create table kept_not (id int)`
      const asking = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(sql`insert into kept_not values (1)`, sql.unsafe(sleep)))
      )
      yield* untilActive(url)
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(yield* sql`select count(*) as count from kept_not`, [{ count: 0n }])
      assert.isTrue(idle(pool))
    })
  )

  it.live("drops the connection where no client is left to cancel it with", () =>
    Effect.gen(function* () {
      const { url, pool, sql } = yield* opened(1)
      const asking = yield* Effect.forkChild(sql.unsafe(sleep))
      yield* untilActive(url)
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      // The client that was waited for in vain is given back as soon as it comes.
      yield* Effect.repeat(
        Effect.sync(() => idle(pool)),
        { until: (isIdle) => isIdle }
      )
    })
  )

  it.live("takes no client when it was still waiting for one", () =>
    Effect.gen(function* () {
      const { pool, sql } = yield* opened(1)
      const held = yield* Effect.promise(() => pool.connect())
      const asking = yield* Effect.forkChild(sql`select 1`)
      yield* Effect.repeat(
        Effect.sync(() => pool.waitingCount),
        { until: (count) => count === 1 }
      )
      yield* Fiber.interrupt(asking)
      held.release()
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      assert.isTrue(idle(pool))
    })
  )
})

describe("a connection that breaks", () => {
  it.live("fails its statement as such, and the next one has another", () =>
    Effect.gen(function* () {
      const { url, pool, sql } = yield* opened()
      const pid = yield* Deferred.make<number>()
      const asking = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ pid: number }>`select pg_backend_pid() as pid`
            yield* Deferred.succeed(pid, row?.pid ?? 0)
            yield* sql.unsafe(sleep)
          })
        )
        .pipe(Effect.flip, Effect.forkChild)
      const killed = yield* Deferred.await(pid)
      yield* untilActive(url)
      yield* Effect.promise(() => execute(url, `select pg_terminate_backend(${killed})`))
      const error = yield* Fiber.join(asking)
      assert.strictEqual((error.reason.cause as { code?: string }).code, "57P01")
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      assert.isTrue(idle(pool))
    })
  )

  it.live("between two statements of a transaction fails it without ending the process", () =>
    Effect.gen(function* () {
      const { url, sql } = yield* opened()
      const error = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ pid: number }>`select pg_backend_pid() as pid`
            yield* Effect.promise(() => execute(url, `select pg_terminate_backend(${row?.pid})`))
            // Until the driver has noticed.
            return yield* Effect.forever(sql`select 1`)
          })
        )
        .pipe(Effect.flip)
      assert.isTrue(error.reason._tag === "ConnectionError" || error.reason._tag === "UnknownError", error.reason._tag)
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
    })
  )

  it.live("is none to a host that does not listen", () =>
    Effect.gen(function* () {
      const pool = yield* hostPool("postgres://user:s3cret@127.0.0.1:1/db")
      const error = yield* Effect.flip(Layer.build(layerPool(pool)))
      assert.deepInclude({ ...(error as { reason: object }).reason }, { _tag: "ConnectionError", operation: "connect" })
    })
  )
})

it.live("a transaction in which a statement failed is not committed in silence", () =>
  Effect.gen(function* () {
    const { sql } = yield* opened()
    const error = yield* Effect.flip(sql.withTransaction(Effect.ignore(sql`select * from nowhere`)))
    assert.strictEqual(error.reason.operation, "commit")
  })
)

it.live("analytics holds no more clients than it may", () =>
  Effect.gen(function* () {
    const { url, sql, analytics } = yield* opened(6, { analyticsConnections: 2 })
    const asking = yield* Effect.forkChild(Effect.replicateEffect(analytics.unsafe(sleep), 5, { concurrency: 5 }))
    yield* Effect.repeat(active(url), { until: (rows) => rows.length === 2 })
    for (let time = 0; time < 20; time++) yield* sql`select 1`
    assert.strictEqual((yield* active(url)).length, 2)
    yield* Fiber.interrupt(asking)
    assert.deepStrictEqual(yield* active(url), [])
  })
)

describe("what is the host's", () => {
  it.live("stays as it was: parsers, sessions, tables and the pool itself", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const pool = yield* hostPool(url, 2)
      const host = (text: string) => Effect.promise(() => pool.query<Record<string, unknown>>(text))
      yield* host("create table accounts (id int primary key)")
      yield* host("insert into accounts values (1)")
      yield* Effect.promise(async () => {
        const gatewarden = await createGatewarden({ store: fromPool(pool), keyring, managementKey })
        const headers = { authorization: `Bearer ${managementKey}` }
        const answer = await gatewarden.fetch(new Request("http://x/api/v1/workspaces/default", { headers }))
        assert.strictEqual(answer.status, 200)
        await gatewarden.close()
      })
      assert.isTrue(idle(pool))
      assert.deepStrictEqual((yield* host("select count(*) as count from accounts")).rows, [{ count: hostValue }])
      assert.deepStrictEqual(
        yield* Effect.promise(() =>
          execute(url, "select tablename from pg_tables where schemaname = 'public' and tablename !~ '^gatewarden_'")
        ),
        [{ tablename: "accounts" }]
      )
      const client = yield* Effect.promise(() => pool.connect())
      assert.strictEqual(client.listenerCount("error"), 0)
      const zone = yield* Effect.promise(() =>
        client.query<{ zone: string }>({
          text: "select current_setting('TimeZone') as zone",
          types: { getTypeParser: () => String }
        })
      )
      client.release()
      assert.deepStrictEqual(zone.rows, [{ zone: "Asia/Kathmandu" }])
    })
  )

  it.live("is refused where we would misread it, saying what to set", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [{ name } = { name: "" }] = yield* Effect.promise(() => execute(url, "select current_database() as name"))
      yield* Effect.promise(() => execute(url, `alter database "${String(name)}" set datestyle = 'German'`))
      const pool = yield* hostPool(url)
      const refused = yield* Effect.promise(() =>
        createGatewarden({ store: fromPool(pool), keyring }).then(
          () => "opened",
          (cause: unknown) => (cause instanceof Error ? cause.message : "")
        )
      )
      assert.strictEqual(refused, "The pool's sessions have DateStyle = German, DMY; the store needs ISO")
      assert.isTrue(idle(pool))
    })
  )
})

describe("a host that migrates by itself", () => {
  const start = (pool: pg.Pool, migrate: "auto" | "check" | "off") =>
    Effect.promise(() =>
      createGatewarden({ store: fromPool(pool, { migrate }), keyring, managementKey }).then(
        async (gatewarden) => {
          await gatewarden.close()
          return "started"
        },
        (cause: unknown) => (cause instanceof Error ? cause.message : "")
      )
    )

  it.live("is refused an old schema, and nothing is made", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const pool = yield* hostPool(url)
      assert.match(
        yield* start(pool, "check"),
        /^The database lacks migration \d+ \(baseline\), .*the present text of gatewarden_acknowledge_delivery, .*\. Run: gatewarden migrate$/
      )
      assert.notStrictEqual(yield* start(pool, "off"), "started")
      assert.deepStrictEqual(
        yield* Effect.promise(() => execute(url, "select tablename from pg_tables where schemaname = 'public'")),
        []
      )
      assert.strictEqual(yield* start(pool, "auto"), "started")
      assert.strictEqual(yield* start(pool, "check"), "started")
      assert.strictEqual(yield* start(pool, "off"), "started")
      yield* Effect.promise(() => execute(url, "delete from gatewarden_function where name = 'gatewarden_warn'"))
      assert.strictEqual(
        yield* start(pool, "check"),
        "The database lacks the present text of gatewarden_warn. Run: gatewarden migrate"
      )
    })
  )
})
