import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Connection } from "effect/sql/SqlConnection"

type Transform = Parameters<Connection["execute"]>[2]

/** A session of the driver's pool as a connection of `effect/sql`. */
export class PooledConnection implements Connection {
  readonly #session: PgConnection.PgConnection

  constructor(session: PgConnection.PgConnection) {
    this.#session = session
  }

  #rows(text: string, parameters: readonly unknown[], transform: Transform, prepare?: boolean) {
    return Effect.map(this.#session.query(text, parameters, prepare), ({ rows }) =>
      transform === undefined ? rows : transform(rows)
    )
  }

  execute(text: string, parameters: readonly unknown[], transform: Transform) {
    return this.#rows(text, parameters, transform)
  }
  executeUnprepared(text: string, parameters: readonly unknown[], transform: Transform) {
    return this.#rows(text, parameters, transform, false)
  }
  executeRaw(text: string, parameters: readonly unknown[]) {
    return this.#session.query(text, parameters)
  }
  executeValues(text: string, parameters: readonly unknown[]) {
    return this.#session.queryValues(text, parameters)
  }
  executeValuesUnprepared(text: string, parameters: readonly unknown[]) {
    return this.#session.queryValues(text, parameters, false)
  }
  executeStream(text: string, parameters: readonly unknown[]) {
    return this.#session.stream(text, parameters)
  }
}
