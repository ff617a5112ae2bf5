/**
 * The SQL client for long reads: analytics, rankings, exports.
 *
 * A client of its own, because one slow statement delays everything pipelined behind it on the same connection. PostgreSQL
 * gives it a small pool without multiplexing, where interrupting a statement cancels it in the database; the embedded
 * engine has one connection, so there it is the client that everything shares.
 *
 * Rule: analytics#timeouts.
 */
import { Context, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

export class AnalyticsSql extends Context.Service<AnalyticsSql, SqlClient.SqlClient>()("gatewarden/AnalyticsSql") {
  /** One client for short and long statements alike. */
  static readonly layerSame: Layer.Layer<AnalyticsSql, never, SqlClient.SqlClient> = Layer.effect(
    AnalyticsSql,
    SqlClient.SqlClient
  )
}

/** What the planner takes an array for that it has not seen. */
const assumed = 10

/**
 * Keeps the planner from looking at an array of a few elements: it then takes it for ten, as in a plan for any array, and stays with that one
 * plan. Otherwise it makes another one for each array, which for the statement that records one event takes four times as long as running it.
 */
export const estimated = (sql: SqlClient.SqlClient, elements: number, array: Statement.Fragment): Statement.Fragment =>
  elements > assumed ? array : sql`(select ${array})`
