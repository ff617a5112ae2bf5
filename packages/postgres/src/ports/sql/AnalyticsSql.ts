/**
 * The SQL client for long reads: analytics, rankings, exports.
 *
 * A client of its own, because one slow statement delays everything pipelined behind it on the same connection. PostgreSQL
 * gives it a small pool without multiplexing, where interrupting a statement cancels it in the database; the embedded
 * engine has one connection, so there it is the client that everything shares.
 */
import { Context, Layer } from "effect"
import { SqlClient } from "effect/sql"

export class AnalyticsSql extends Context.Service<AnalyticsSql, SqlClient.SqlClient>()("gatewarden/AnalyticsSql") {
  /** One client for short and long statements alike. */
  static readonly layerSame: Layer.Layer<AnalyticsSql, never, SqlClient.SqlClient> = Layer.effect(
    AnalyticsSql,
    SqlClient.SqlClient
  )
}
