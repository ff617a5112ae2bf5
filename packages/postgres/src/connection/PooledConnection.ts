import type { PgConnection } from "@effect/sql-pg"
import { Effect, identity } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { askUntilEnded } from "./askUntilEnded.ts"
import { dropAnswered } from "./dropAnswered.ts"

type Transform = Parameters<Connection["execute"]>[2]

/** A session of the driver's pool as a connection of `effect/sql`. */
export class PooledConnection implements Connection {
  readonly #session: PgConnection.PgConnection
  readonly #ends: boolean

  /** `ends`: whether a statement that is given up ends in the database by nothing else. */
  constructor(session: PgConnection.PgConnection, ends = false) {
    this.#session = session
    this.#ends = ends
  }

  /** `answer`: what becomes of the answer. */
  #answered<A, B>(asked: Effect.Effect<A, SqlError>, answer: (answered: A) => B) {
    return Effect.map(this.#ends ? askUntilEnded(this.#session, asked) : asked, (answered) => {
      dropAnswered(this.#session)
      return answer(answered)
    })
  }

  #rows(text: string, parameters: readonly unknown[], transform: Transform, prepare?: boolean) {
    return this.#answered(this.#session.query(text, parameters, prepare), ({ rows }) =>
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
    return this.#answered(this.#session.query(text, parameters), identity)
  }
  executeValues(text: string, parameters: readonly unknown[]) {
    return this.#answered(this.#session.queryValues(text, parameters), identity)
  }
  executeValuesUnprepared(text: string, parameters: readonly unknown[]) {
    return this.#answered(this.#session.queryValues(text, parameters, false), identity)
  }
  executeStream(text: string, parameters: readonly unknown[]) {
    return this.#session.stream(text, parameters)
  }
}
