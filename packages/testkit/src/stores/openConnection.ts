/** One connection of a test's own, which keeps its transaction and locks until it is closed. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"

export interface OpenConnection {
  readonly query: (sql: string) => Promise<readonly PgConnection.Row[]>
  readonly close: () => Promise<void>
}

export const openConnection = async (url: string): Promise<OpenConnection> => {
  const scope = Scope.makeUnsafe()
  const connection = await Effect.runPromise(
    Scope.provide(PgConnection.make({ url: Redacted.make(url), applicationName: "test" }), scope)
  )
  return {
    query: async (sql) => (await Effect.runPromise(connection.query(sql))).rows,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
