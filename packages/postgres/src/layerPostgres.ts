import { PgClient } from "@effect/sql-pg"
import { Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { AnalyticsSql } from "./AnalyticsSql.ts"
import { connectionTarget } from "./connectionTarget.ts"

export interface PostgresOptions {
  /** `postgres://…` or `postgresql://…`, with libpq's parameters; PostgreSQL 14 or newer. */
  readonly url: Redacted.Redacted<string>
  /** Connections for short statements, each of which carries many at once. Default 10. */
  readonly maxConnections?: number | undefined
  /** Connections for analytics, one statement each at a time. Default 4. */
  readonly analyticsConnections?: number | undefined
  /** Named prepared statements. Switch them off behind a pooler that does not keep sessions. Default true. */
  readonly prepare?: boolean | undefined
  /** How the connections show in `pg_stat_activity`. Default `gatewarden`. */
  readonly applicationName?: string | undefined
}

/**
 * The SQL clients over PostgreSQL: one multiplexed pool for short statements, one plain pool for long reads.
 *
 * Connections are made when they are needed, so a server that is down shows with the first statement.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | AnalyticsSql, SqlError.SqlError> => {
  const applicationName = options.applicationName ?? "gatewarden"
  const shared = {
    url: options.url,
    ...connectionTarget(options.url),
    prepare: options.prepare ?? true,
    // Days and weeks are UTC throughout; a session of another zone would cut them elsewhere.
    startupParameters: { timezone: "UTC" }
  }
  return Layer.mergeAll(
    PgClient.layer({ ...shared, applicationName, multiplex: true, maxConnections: options.maxConnections ?? 10 }),
    Layer.effect(
      AnalyticsSql,
      PgClient.make({
        ...shared,
        applicationName: `${applicationName} analytics`,
        multiplex: false,
        maxConnections: options.analyticsConnections ?? 4
      })
    ).pipe(Layer.provide(Reactivity.layer))
  )
}
