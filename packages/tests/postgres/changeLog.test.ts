/** What is written beside what was asked for: the log of changes, and the places of credentials that arrive together. */
import {
  ApiKeys,
  ByokCredentials,
  ChangeLog,
  Guardrails,
  unrestricted,
  Workspaces,
  createAccount,
  unscoped
} from "@gatewarden/core/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime, Option, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createMigratedDatabase, migratedSnapshot } from "@gatewarden/testkit/stores/migratedDatabases"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerPgliteClients, layerStore } from "../../postgres/src/store/layerStore.ts"

const engines = {
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createMigratedDatabase(inject("postgres"))),
      (url) => layerPostgres({ url: Redacted.make(url) })
    )
  ),
  PGlite: layerPgliteClients({ dataDir: undefined, snapshot: await migratedSnapshot(inject("pgliteSnapshot")) })
}

const at = "2026-03-04T12:00:00.000Z"

const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const account_id = made.account.id
  /** What was logged since it was asked last. */
  const logged = Effect.map(
    sql<{ line: string }>`
      with read as (delete from gatewarden_changes where account_id = ${account_id} returning seq, noun || ' ' || id as line)
      select line from read order by seq`,
    (rows) => rows.map(({ line }) => line)
  )
  return { account_id, workspace_id: made.workspace.id, logged }
})

for (const [name, clients] of Object.entries(engines))
  describe(`beside a change, on ${name}`, () => {
    const runtime = ManagedRuntime.make(
      layerStore.pipe(
        Layer.provideMerge(clients),
        Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
      )
    )
    afterAll(() => runtime.dispose())

    it("logs what changes, once, and nothing that stays as it is", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { account_id, workspace_id, logged } = yield* prepare
          const keys = yield* (yield* ApiKeys).list(account_id, {})
          assert.deepStrictEqual(yield* logged, [
            `account ${account_id}`,
            `workspace ${workspace_id}`,
            `key ${keys[0]?.hash}`
          ])
          const guardrails = yield* Guardrails
          const id = crypto.randomUUID()
          yield* guardrails.insert(account_id, {
            ...unrestricted,
            id,
            workspace_id,
            name: "a",
            created_at: at,
            updated_at: null
          })
          assert.deepStrictEqual(yield* logged, [`guardrail ${id}`])
          yield* guardrails.update(account_id, id, { name: "a" }, at)
          assert.deepStrictEqual(yield* logged, [])
          yield* guardrails.update(account_id, id, { name: "b" }, at)
          assert.deepStrictEqual(yield* logged, [`guardrail ${id}`])
          yield* (yield* Workspaces).remove(account_id, workspace_id, { force: true, now: at })
          assert.sameMembers([...(yield* logged)], [`guardrail ${id}`, `workspace ${workspace_id}`])
        })
      ))

    if (name === "PostgreSQL")
      it("is read to the end, in whatever order transactions commit", () =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const { account_id, workspace_id } = yield* prepare
            const log = yield* ChangeLog
            const guardrails = yield* Guardrails
            const insert = Effect.suspend(() => {
              const id = crypto.randomUUID()
              const row = { ...unrestricted, id, workspace_id, name: "a", created_at: at, updated_at: null }
              return Effect.as(guardrails.insert(account_id, row), id)
            })
            let { position } = yield* log.since(undefined)
            const read = Effect.gen(function* () {
              const answer = yield* log.since(position)
              position = answer.position
              return answer.changes === "everything" ? [] : answer.changes.map(({ id }) => id)
            })
            const written = yield* Deferred.make<string>()
            const mayEnd = yield* Deferred.make<void>()
            const slow = yield* Effect.forkChild(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* Deferred.succeed(written, yield* insert)
                  yield* Deferred.await(mayEnd)
                })
              )
            )
            const first = yield* Deferred.await(written)
            const second = yield* insert
            assert.deepStrictEqual(yield* read, [second])
            const undone = yield* Effect.exit(sql.withTransaction(Effect.andThen(insert, Effect.fail("undone"))))
            assert.isTrue(Exit.isFailure(undone))
            const third = yield* insert
            assert.deepStrictEqual(yield* read, [third])
            yield* Deferred.succeed(mayEnd, undefined)
            yield* Fiber.join(slow)
            assert.deepStrictEqual(yield* read, [first])
            assert.deepStrictEqual(yield* read, [])
            // As it came with a copy of another database.
            yield* sql`insert into gatewarden_changes (account_id, noun, action, id, xact)
              values (${account_id}, 'guardrail', 'create', 'foreign', '9223372036854775807')`
            assert.deepStrictEqual(yield* read, [])
          })
        ))

    it("gives credentials that arrive together places without gap or double, and none in a workspace that is gone", () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* prepare
          const credentials = yield* ByokCredentials
          const insert = (workspace: string) =>
            credentials.insert(
              account_id,
              {
                id: crypto.randomUUID(),
                workspace_id: workspace,
                provider: "openai",
                ...unscoped,
                label: "...",
                created_at: at
              },
              Uint8Array.of(1)
            )
          const placed = yield* Effect.all(
            Array.from({ length: 40 }, () => insert(workspace_id)),
            { concurrency: "unbounded" }
          )
          const places = placed.map((one) => Option.getOrThrow(one).sort_order).sort((a, b) => a - b)
          assert.deepStrictEqual(places, [...places.keys()])
          assert.isTrue(Option.isNone(yield* insert(crypto.randomUUID())))
        })
      ))
  })
