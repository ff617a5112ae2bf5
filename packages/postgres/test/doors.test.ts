import { assert, describe, it } from "@effect/vitest"
import { createGatewarden } from "@gatewarden/core"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createDatabase, execute } from "../../conformance/src/stores/postgresServer.ts"
import { AnalyticsSql, layerPgliteClients, layerPostgres } from "../src/effect.ts"
import { postgres } from "../src/index.ts"
import { pglite } from "../src/pglite.ts"

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

  it.live(
    "open PGlite in memory",
    () => Effect.promise(async () => assert.strictEqual(await statusOf(pglite()), 200)),
    60_000
  )

  it("refuse what is no connection string, without repeating it", () => {
    for (const url of [undefined, "", "mysql://user:s3cret@host/db", "postgres"])
      assert.throws(
        () => postgres({ url }),
        /^postgres: url must be a postgres:\/\/ or postgresql:\/\/ connection string$/
      )
  })

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

  it.live("are one on PGlite", () =>
    Effect.gen(function* () {
      const clients = yield* Layer.build(layerPgliteClients({ dataDir: undefined, snapshot: inject("pgliteSnapshot") }))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* AnalyticsSql, yield* SqlClient.SqlClient)
      }).pipe(Effect.provideContext(clients))
    })
  )
})
