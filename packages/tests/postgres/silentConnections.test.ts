/**
 * Connections that go silent without an end, as after a fail-over or in a firewall that forgot them: what was sent is acknowledged and never
 * answered, while new connections work. Rule: errors#store-failures.
 */
import { fetchDoor } from "@gatewarden/conformance"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { ask, limitedKey, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { OutcomeUnknown } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Cause, Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { layerPostgres, type PostgresOptions } from "../../postgres/src/connection/layerPostgres.ts"
import { answerLimit } from "../../postgres/src/connection/statementLimits.ts"
import { WritesAlone, reading, unhurried, writing } from "../../postgres/src/statements/statements.ts"
import { inSnapshot } from "../../postgres/src/transfer/transferTransaction.ts"

const answerTimeoutMillis = 400
/** Until a request whose connection is silent must be over, on a busy machine. */
const boundMillis = 10_000

/** What stands between a client and the database. */
interface Way {
  /** The URL that leads through it. */
  readonly url: Redacted.Redacted<string>
  /** From now on nothing is passed on for the connections that there are, or for those of them on which a text was sent. */
  readonly silence: (sent?: string) => void
  /** How many silent connections the client still has open. */
  readonly silentOnes: () => number
  readonly close: () => void
}

const wayTo = async (database: string): Promise<Way> => {
  const target = new URL(database)
  const silent = new Set<Socket>()
  const open = new Set<Socket>()
  const texts = new Map<Socket, string>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    open.add(client)
    client.on("data", (bytes) => {
      texts.set(client, (texts.get(client) ?? "") + bytes.toString("latin1"))
      if (!silent.has(client)) upstream.write(bytes)
    })
    upstream.on("data", (bytes) => silent.has(client) || client.write(bytes))
    upstream.on("error", () => {}).on("close", () => silent.has(client) || client.destroy())
    client
      .on("error", () => {})
      .on("close", () => {
        silent.delete(client)
        open.delete(client)
        upstream.destroy()
      })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const through = new URL(database)
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: Redacted.make(through.href),
    silence: (sent = "") => {
      for (const client of open) if (texts.get(client)?.includes(sent)) silent.add(client)
    },
    silentOnes: () => silent.size,
    close: () => {
      server.close()
      for (const client of open) client.destroy()
    }
  }
}

const timed = async <A>(work: () => Promise<A>): Promise<A> => {
  const begun = performance.now()
  const done = await Promise.race([
    work(),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error("It still waits")), boundMillis).unref())
  ])
  assert.isAtLeast(performance.now() - begun, answerTimeoutMillis)
  return done
}

const untilNoneIsSilent = (way: Way) =>
  eventually("no silent connection", async () => (way.silentOnes() === 0 ? true : undefined), boundMillis)

describe("a statement on a connection that went silent", () => {
  let way: Way
  beforeAll(async () => {
    way = await wayTo(await createMigratedDatabase(inject("postgres")))
  })
  afterAll(() => way.close())

  const withSql = <A>(
    use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>,
    options: Partial<PostgresOptions> = {}
  ): Promise<A> =>
    Effect.runPromise(
      Effect.flatMap(SqlClient.SqlClient, use).pipe(
        Effect.provide(layerPostgres({ url: way.url, answerTimeoutMillis, notifications: false, ...options })),
        Effect.scoped
      )
    )

  it("is sent again if it reads, and every other silent connection is closed", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const select = sql<{ one: number }>`select 1 as one`
        const atOnce = Array.from({ length: 5 }, () => sql.withTransaction(sql`select pg_sleep(0.1)`))
        yield* Effect.all(atOnce, { concurrency: "unbounded" })
        yield* select
        way.silence()
        assert.isAtLeast(way.silentOnes(), 6)
        assert.deepStrictEqual(yield* Effect.promise(() => timed(() => Effect.runPromise(reading(select)))), [
          { one: 1 }
        ])
        yield* Effect.promise(() => untilNoneIsSilent(way))
      })
    ))

  it("has an unknown outcome if it writes, and the next one works", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const write = writing(sql`select 1`)
        yield* write
        way.silence()
        const exit = yield* Effect.promise(() => timed(() => Effect.runPromiseExit(write)))
        assert.instanceOf(Exit.isFailure(exit) && Cause.squash(exit.cause), OutcomeUnknown)
        yield* write
      })
    ))

  const lasting = (sql: SqlClient.SqlClient) => sql`select pg_sleep(${(answerTimeoutMillis * 2) / 1_000})`

  it("is not given up for the time that it waits for a connection, or for others on its own", () =>
    withSql(
      (sql) => {
        const short = sql`select pg_sleep(${answerTimeoutMillis / 2_000})`
        const several = [short, short, short, short]
        return Effect.all([...several, ...several.map((one) => Effect.provideService(one, WritesAlone, true))], {
          concurrency: "unbounded"
        })
      },
      { maxConnections: 1, writeConnections: 1 }
    ))

  it("is given up later if it is unhurried, or reads and writes whole tables", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        // The connection is one that was watched before.
        yield* writing(sql`select 1`)
        yield* unhurried(sql)(lasting(sql))
        yield* Effect.provideService(inSnapshot(lasting(sql)), SqlClient.SqlClient, sql)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(lasting(sql)))))
      })
    ))
})

describe("the time that an answer may take", () => {
  const within = (options: string) => Redacted.make(`postgres://127.0.0.1/db?options=${encodeURIComponent(options)}`)

  it("is a little more than the server's own limit, and far more if others have set that", () => {
    assert.strictEqual(answerLimit(within(""), 30_000), 35_000)
    assert.strictEqual(answerLimit(within("-c work_mem=8MB"), 1_000), 6_000)
    assert.strictEqual(answerLimit(within(""), 0), 300_000)
    assert.strictEqual(answerLimit(within("-c statement_timeout=2min"), 30_000), 300_000)
    assert.strictEqual(answerLimit(within("-c statement_timeout=2min"), 3_600_000), 3_605_000)
  })
})

describe("an account whose admission waits on a connection that went silent", () => {
  let way: Way
  let installation: Installation
  beforeAll(async () => {
    way = await wayTo(await createMigratedDatabase(inject("postgres")))
    const store = layerPostgresStore({ url: way.url, answerTimeoutMillis, migrate: "off" })
    installation = await Installation.start({ store, door: fetchDoor })
  })
  afterAll(async () => {
    await installation.stop()
    way.close()
  })

  it("is refused in time, and admitted again", async () => {
    const world = await installation.newWorld()
    const { sonnet: model } = await openMarket(world)
    const api_key_hash = await limitedKey(world, 10)
    const admit = () => ask(world, { api_key_hash, model, max_cost_usd: "0.1" })
    const together = () => Promise.all(Array.from({ length: 5 }, admit))
    for (const { status } of await together()) assert.strictEqual(status, 200)
    way.silence("gatewarden_hold")
    // One was on its way. The others were waiting for it.
    const [refused, ...others] = (await timed(together)).toSorted((one, other) => other.status - one.status)
    assert.strictEqual(refused?.status, 500)
    assert.strictEqual(refused?.json.error.metadata.reason, "outcome_unknown")
    for (const { status } of [...others, ...(await together())]) assert.strictEqual(status, 200)
  })
})
