import { assert, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

const sleep = "select pg_sleep(600)"

/** A client under test with one connection, and a second one that watches what the server does for it. */
const watched = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig) {
  const url = Redacted.make(yield* Effect.promise(() => createMigratedDatabase(inject("postgres"))))
  // As for the statements of the store: what is being compiled cannot be cancelled (`statementLimits`).
  const startupParameters = { jit: "off", ...config.startupParameters }
  const subject = yield* PgClient.make({
    ...config,
    url,
    startupParameters,
    maxConnections: 1,
    applicationName: "subject"
  })
  const watcher = yield* PgClient.make({ url, applicationName: "watcher" })
  const active = watcher<{ query: string }>`select query from pg_stat_activity
    where datname = current_database() and application_name = 'subject' and state = 'active'`
  const pid = Effect.map(subject<{ pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)
  /** Interrupts a statement as soon as the server is seen to run this text, and not another that leads to it. */
  const interruptWhenActive = (text: string, statement: Effect.Effect<unknown, SqlError>) =>
    Effect.raceFirst(statement, Effect.repeat(active, { until: ([row]) => row?.query === text }))
  return { subject, active, pid, interruptWhenActive }
}, Effect.provide(Reactivity.layer))

describe("interrupting a statement on PostgreSQL", () => {
  for (const multiplex of [false, true])
    for (const work of ["pg_sleep(600)", "count(*) from generate_series(1, 100000000000)"])
      it.live(`cancels it in a transaction, multiplex ${multiplex}: ${work}`, () =>
        Effect.gen(function* () {
          const { subject, active, pid, interruptWhenActive } = yield* watched({ multiplex })
          const before = yield* pid
          yield* subject`create table kept_not (id int)`
          const text = `select ${work}`
          yield* interruptWhenActive(
            text,
            subject.withTransaction(Effect.andThen(subject`insert into kept_not values (1)`, subject.unsafe(text)))
          )
          assert.deepStrictEqual(yield* active, [])
          assert.strictEqual(yield* pid, before)
          assert.deepStrictEqual(yield* subject`select count(*) as count from kept_not`, [{ count: 0n }])
        })
      )

  it.live("cancels a plain statement without multiplex", () =>
    Effect.gen(function* () {
      const { subject, active, pid, interruptWhenActive } = yield* watched({ multiplex: false })
      const before = yield* pid
      yield* interruptWhenActive(sleep, subject.unsafe(sleep))
      assert.deepStrictEqual(yield* active, [])
      assert.strictEqual(yield* pid, before)
    })
  )

  it.live("with multiplex leaves a plain statement running, which only a statement_timeout ends", () =>
    Effect.gen(function* () {
      const { active, pid, subject, interruptWhenActive } = yield* watched({
        multiplex: true,
        startupParameters: { statement_timeout: "2000" }
      })
      const before = yield* pid
      yield* interruptWhenActive(sleep, subject.unsafe(sleep))
      assert.deepStrictEqual(yield* active, [{ query: sleep }])
      assert.strictEqual(yield* pid, before)
      assert.deepStrictEqual(yield* active, [])
    })
  )
})
