/** What a connection that carries many statements at once keeps of those that were answered, while another is in flight. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { inject } from "vitest"
import { FixedStatements } from "../../postgres/src/statements/FixedStatements.ts"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"

/** With the one that stays in flight no more than the driver sends through one connection at once. */
const answered = 30

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const text = "select repeat('x', 100000) as long"

/** How many answers are reachable when all have come but one, which was sent last. */
const reachable = (read: Effect.Effect<readonly object[], unknown, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows: WeakRef<object>[] = []
    const one = Effect.map(read, (answer) => {
      for (const row of answer) rows.push(new WeakRef(row))
    })
    const all = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: answered }, () => one),
        { concurrency: "unbounded", discard: true }
      ),
      { startImmediately: true }
    )
    const last = yield* Effect.forkChild(sql`select pg_sleep(1.5)`, { startImmediately: true })
    yield* Fiber.join(all)
    // What was read in this turn of the loop may be on its stack.
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
    collectGarbage()
    assert.lengthOf(rows, answered)
    assert.isUndefined(last.pollUnsafe())
    return rows.filter((row) => row.deref() !== undefined).length
  }).pipe(
    Effect.provide(
      layerPostgres({ url: Redacted.make(inject("postgres").url), maxConnections: 1, notifications: false })
    ),
    Effect.scoped,
    Effect.runPromise
  )

const ofClient = (read: (sql: SqlClient.SqlClient) => Effect.Effect<readonly object[], unknown>) =>
  Effect.flatMap(SqlClient.SqlClient, read)

const reads: Record<string, Effect.Effect<readonly object[], unknown, SqlClient.SqlClient>> = {
  "a statement": ofClient((sql) => sql.unsafe<object>(text)),
  "a statement without a name": ofClient((sql) => sql.unsafe<object>(text).unprepared),
  "a fixed statement": Effect.flatMap(FixedStatements, (fixed) => fixed?.read(text, []) ?? Effect.die("no statements")),
  values: ofClient((sql) => sql.unsafe(text).values),
  "a raw answer": ofClient((sql) =>
    Effect.map(sql.unsafe(text).raw, (answer) => (answer as { readonly rows: readonly object[] }).rows)
  )
}

describe("a connection with a statement in flight", () => {
  for (const [name, read] of Object.entries(reads))
    it(`does not keep the answers of others: ${name}`, async () => {
      assert.isAtMost(await reachable(read), 2)
    })
})
