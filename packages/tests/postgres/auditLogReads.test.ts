/** What sealing, listing and verifying read: it does not grow with what is sealed, or with what other accounts changed. */
import { AuditLog, createAccount, sealChanges } from "@gatewarden/core/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPgliteClients, layerStore } from "../../postgres/src/store/layerStore.ts"

const engines = {
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createDatabase(inject("postgres"))),
      (url) => layerPostgres({ url: Redacted.make(url) })
    )
  ),
  PGlite: layerPgliteClients({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })
}

const rows = 10_000

const account = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  return made === undefined ? yield* Effect.die(new Error("account exists")) : made.account.id
})

/** An account with so many sealed changes, and those of its making. */
const longLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* account
  yield* sql`
    insert into gatewarden_changes (account_id, noun, action, id, before, after)
    select ${owner}::uuid, 'guardrail', 'update', n::text, json_build_object('name', n), json_build_object('name', n + 1)
    from generate_series(1, ${rows}::int) n`
  yield* sealChanges(owner)
  return owner
})

for (const [name, clients] of Object.entries(engines))
  describe(`what the audit log reads on ${name}`, () => {
    const runtime = ManagedRuntime.make(
      layerStore.pipe(
        Layer.provideMerge(clients),
        Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
      )
    )
    afterAll(() => runtime.dispose())

    it("goes on from where it has sealed everything, also when a full batch was the last", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const owner = yield* account
          // Older than whatever transactions of others hold back the horizon.
          yield* sql`insert into gatewarden_changes (account_id, noun, action, id, xact)
            values (${owner}, 'guardrail', 'update', 'a', '4')`
          yield* sealChanges(undefined)
          // As a batch leaves it that ended within a transaction.
          yield* sql`update gatewarden_audit_horizon set sealed_before = '3'`
          yield* sealChanges(undefined)
          const [row] = yield* sql`select sealed_before > '3' as is_ahead from gatewarden_audit_horizon`
          assert.isTrue(row?.["is_ahead"])
        })
      ))

    it("reads for a page no more changes than it examines, and no row of others to verify, however long the log is", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const log = yield* AuditLog
          const owner = yield* longLog
          const other = yield* account
          yield* sealChanges(undefined)
          yield* sql`vacuum analyze gatewarden_changes`
          yield* sql`vacuum analyze gatewarden_audit_seal`
          /** How many rows it reads. */
          const readBy = (work: Effect.Effect<unknown>) =>
            sql.withTransaction(
              Effect.gen(function* () {
                const read = sql<{ rows: number }>`
                  select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
                  from pg_stat_xact_user_tables where relname in ('gatewarden_audit_seal', 'gatewarden_changes')`
                // What reads all of the log looks dearer than it is here: longer logs make it so.
                yield* sql`set local seq_page_cost = 100`
                const [before] = yield* read
                yield* work
                const [after] = yield* read
                return (after?.rows ?? 0) - (before?.rows ?? 0)
              })
            )
          const examined = 100
          const end = (yield* log.verify(owner)).head?.position ?? 0
          for (const filter of [
            { actor: "nobody" },
            { noun: "key" },
            { entity: "none" },
            { operation: "none" },
            { from: "2100-01-01T00:00:00.000Z" },
            { to: "2000-01-01T00:00:00.000Z" }
          ] as const) {
            const work = log.list(owner, filter, { limit: 50, below: undefined, examined })
            assert.isAtMost(yield* readBy(work), 4 * examined, JSON.stringify(filter))
            const { entries, next } = yield* work
            assert.deepStrictEqual([entries, next], [[], end - examined + 1])
          }
          assert.isBelow(yield* readBy(log.verify(other)), 100)
        })
      ))
  })
