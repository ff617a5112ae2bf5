/** What sessions are told when they begin. With JIT, 47 of the 64 ms of an admission with a cold cache went into compiling. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { AnalyticsSql } from "../../postgres/src/statements/AnalyticsSql.ts"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { WritesAlone } from "../../postgres/src/statements/statements.ts"

/** Of reads, writes and analytics. */
const settingOf = (name: string, url: string, statementTimeoutMillis?: number) =>
  Effect.gen(function* () {
    const shown = (sql: SqlClient.SqlClient) =>
      Effect.map(sql`select current_setting(${name}) as shown`, ([row]) => String(row?.["shown"]))
    const sql = yield* SqlClient.SqlClient
    return [
      yield* shown(sql),
      yield* Effect.provideService(shown(sql), WritesAlone, true),
      yield* shown(yield* AnalyticsSql)
    ]
  }).pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(url), statementTimeoutMillis, notifications: false })),
    Effect.scoped,
    Effect.runPromise
  )

describe("sessions", () => {
  const { url } = inject("postgres")
  const within = (options: string) => {
    const other = new URL(url)
    other.searchParams.set("options", options)
    return other.href
  }

  it("do not compile plans", async () => {
    assert.deepEqual(await settingOf("jit", url), ["off", "off", "off"])
    assert.deepEqual(await settingOf("jit", within("-c jit=on")), ["on", "on", "on"])
  })

  it("read NULL in an array as null, whatever a role says", async () => {
    const role = `odd_${crypto.randomUUID().replaceAll("-", "")}`
    await execute(url, `create role ${role} superuser login password 'odd'`)
    try {
      await execute(url, `alter role ${role} set array_nulls = off`)
      const odd = new URL(url)
      odd.username = role
      odd.password = "odd"
      assert.deepEqual(await settingOf("array_nulls", odd.href), ["on", "on", "on"])
    } finally {
      await execute(url, `drop role ${role}`)
    }
  })

  it("do not wait for a server that is paused within a transaction, but for readers of exports", async () => {
    const [own] = await execute(url, "select current_setting('idle_in_transaction_session_timeout') as own")
    assert.deepEqual(await settingOf("idle_in_transaction_session_timeout", url), ["12s", "12s", String(own?.["own"])])
    assert.deepEqual((await settingOf("tcp_keepalives_idle", url)).slice(0, 2), ["5", "5"])
  })

  it("are told nothing where a pooler would refuse it", async () => {
    for (const name of ["jit", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]) {
      const [row] = await execute(url, `select current_setting('${name}') as own`)
      const own = String(row?.["own"])
      assert.deepEqual(await settingOf(name, url, 0), [own, own, own])
    }
  })
})
