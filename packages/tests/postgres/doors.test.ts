import { assert, describe, it } from "@effect/vitest"
import { createGatewarden, GatewardenRefusal, type Store } from "@gatewarden/core"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Pool } from "pg"
import { inject } from "vitest"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { AnalyticsSql, layerPgliteClients, layerPostgres } from "../../postgres/src/internal.ts"
import { fromPool, type HostPool, postgres } from "../../postgres/src/index.ts"
import { pglite } from "../../postgres/src/pglite.ts"

const keyring = `k1:${Buffer.alloc(32, 3).toString("base64")}`
const managementKey = "doors-management-key-0123456789-0123"

const statusOf = async (store: ReturnType<typeof postgres>) => {
  const gatewarden = await createGatewarden({ store, keyring, managementKey })
  try {
    const headers = { authorization: `Bearer ${managementKey}` }
    return (await gatewarden.fetch(new Request("http://x/api/v1/workspaces/default", { headers }))).status
  } finally {
    await gatewarden.close()
  }
}

const applicationName = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{
      name: string
      zone: string
    }>`select current_setting('application_name') as name, current_setting('TimeZone') as zone`,
    (rows) => rows[0]
  )

describe("the Promise doors", () => {
  it.live("open a store that is migrated by its first instance and kept for the next", () =>
    Effect.promise(async () => {
      const url = await createDatabase(inject("postgres"))
      assert.strictEqual(await statusOf(postgres({ url })), 200)
      assert.strictEqual(
        await statusOf(postgres({ url, maxConnections: 2, analyticsConnections: 1, prepare: false })),
        200
      )
    })
  )

  it.live("keep to a schema of its own, where the host wants one", () =>
    Effect.promise(async () => {
      const url = await createDatabase(inject("postgres"))
      await execute(url, "create schema gatewarden")
      assert.strictEqual(await statusOf(postgres({ url: `${url}?options=-c%20search_path%3Dgatewarden` })), 200)
      const schemas = await execute(
        url,
        "select distinct schemaname from pg_tables where tablename ~ '^gatewarden_' order by 1"
      )
      assert.deepStrictEqual(schemas, [{ schemaname: "gatewarden" }])
    })
  )

  it.live("open PGlite in memory", () => Effect.promise(async () => assert.strictEqual(await statusOf(pglite()), 200)))

  it("refuse what is no connection string, without repeating it", () => {
    for (const url of [undefined, "", "mysql://user:s3cret@host/db", "postgres"])
      assert.throws(
        () => postgres({ url }),
        /^postgres: url must be a postgres:\/\/ or postgresql:\/\/ connection string$/
      )
  })

  it.live("say why a start failed, without the password", () =>
    Effect.promise(async () => {
      const rejection = (store: Store) =>
        createGatewarden({ store, keyring }).then(
          () => "opened",
          (cause: unknown) => String(cause)
        )
      const at = (change: (url: URL) => void) => {
        const url = new URL(inject("postgres").url)
        change(url)
        return rejection(postgres({ url: url.href }))
      }
      const empty = new URL(await createDatabase(inject("postgres"))).pathname
      for (const [message, expected] of [
        [await at((url) => (url.pathname = "/no_such")), /^Error: postgres: cannot connect to the database: .*no_such/],
        [await at((url) => (url.username = "no_one")), /^Error: postgres: cannot connect to the database: .*no_one/],
        // A name with two addresses fails with an error for each.
        [await at((url) => (url.host = "localhost:1")), /cannot connect to the database: .*ECONNREFUSED/],
        // As a standby is.
        [
          await at((url) => {
            url.pathname = empty
            url.search = "?options=-c%20default_transaction_read_only%3Don"
          }),
          /^Error: postgres: a statement of the start failed: .*read-only/
        ]
      ] as const)
        assert.match(message, expected)
      const ended = fromPool({ connect: () => Promise.reject(new Error("the pool has ended")) } as unknown as HostPool)
      assert.strictEqual(await rejection(ended), "Error: pool: cannot connect to the database: the pool has ended")
      assert.throws(() => fromPool({} as HostPool), /^fromPool: expected a pool/)
    })
  )

  it.live("reject a typed method as HTTP refuses it, when the database is gone", () =>
    Effect.promise(async () => {
      const pool = new Pool({ connectionString: await createDatabase(inject("postgres")) })
      const gatewarden = await createGatewarden({ store: fromPool(pool), keyring, logger: () => {} })
      await pool.end()
      for (const ask of [
        () => gatewarden.admit({ api_key: "any", model: "acme/sonnet" }),
        () => gatewarden.createAccount("a")
      ]) {
        const refused = await ask().catch((cause: unknown) => cause)
        assert.instanceOf(refused, GatewardenRefusal)
        const { status, reason, cause } = refused as GatewardenRefusal
        assert.deepEqual([status, reason], [500, "store_unavailable"])
        assert.instanceOf(cause, Error)
      }
      await gatewarden.close()
    })
  )

  it.live("need a keyring, and reject when the database does not answer", () =>
    Effect.promise(async () => {
      const rejection = (options: Parameters<typeof createGatewarden>[0]) =>
        createGatewarden(options).then(
          () => "opened",
          (cause: unknown) => String(cause)
        )
      const store = postgres({ url: "postgres://user:s3cret@127.0.0.1:1/db" })
      assert.include(await rejection({ store }), "keyring is required")
      const refused = await rejection({ store, keyring })
      assert.notStrictEqual(refused, "opened")
      assert.notInclude(refused, "s3cret")
    })
  )
})

describe("the SQL clients", () => {
  it.live("give analytics a pool of its own on PostgreSQL, in UTC like the other", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const clients = yield* Layer.build(layerPostgres({ url: Redacted.make(url) }))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* applicationName(yield* SqlClient.SqlClient), { name: "gatewarden", zone: "UTC" })
        assert.deepStrictEqual(yield* applicationName(yield* AnalyticsSql), {
          name: "gatewarden analytics",
          zone: "UTC"
        })
      }).pipe(Effect.provideContext(clients))
    })
  )

  it.live("see what others have committed, whatever role and database begin transactions with", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const name = new URL(url).pathname.slice(1)
      yield* Effect.promise(() =>
        execute(url, `alter database ${name} set default_transaction_isolation = 'serializable'`)
      )
      const clients = yield* Layer.build(layerPostgres({ url: Redacted.make(url) }))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const shown = sql`select current_setting('transaction_isolation') as level`
        const committed = [{ level: "read committed" }]
        assert.deepStrictEqual(yield* shown, committed)
        assert.deepStrictEqual(yield* sql.withTransaction(shown), committed)
      }).pipe(Effect.provideContext(clients))
    })
  )

  it.live("are one on PGlite", () =>
    Effect.gen(function* () {
      const clients = yield* Layer.build(layerPgliteClients({ dataDir: undefined, snapshot: inject("pgliteSnapshot") }))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* AnalyticsSql, yield* SqlClient.SqlClient)
      }).pipe(Effect.provideContext(clients))
    })
  )
})
