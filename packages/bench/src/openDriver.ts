/** The driver of the store without anything on it: a pool of connections, and statements as text. */
import { PgPool } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"

export interface Driver {
  /** Calls back with the rows. A failure ends the process: there is none to measure. */
  readonly query: (sql: string, parameters: readonly unknown[], onRows: (rows: readonly unknown[]) => void) => void
  readonly close: () => Promise<void>
}

/** `pipelined` as the store has it: statements share connections. Otherwise each has one to itself while it runs. */
export const openDriver = async (url: string, pipelined: boolean): Promise<Driver> => {
  const scope = Scope.makeUnsafe()
  const pool = await Effect.runPromise(
    Scope.provide(
      PgPool.make({
        url: Redacted.make(url),
        multiplex: pipelined,
        maxConnections: pipelined ? 10 : 32,
        startupParameters: { timezone: "UTC" }
      }),
      scope
    )
  )
  return {
    query: (sql, parameters, onRows) => {
      const fiber = Effect.runFork(pool.use((connection) => connection.query(sql, parameters)))
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) throw new Error(`The bare statement failed: ${String(exit.cause)}`)
        onRows(exit.value.rows)
      })
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
