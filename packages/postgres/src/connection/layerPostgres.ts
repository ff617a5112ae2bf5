import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Entropy } from "@gatewarden/core/internal"
import { Context, Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { FixedStatements, type Sends } from "../statements/FixedStatements.ts"
import { WritesAlone } from "../statements/statements.ts"
import { ChangeChannel, makeChangeChannel } from "./ChangeChannel.ts"
import { PooledConnection } from "./PooledConnection.ts"
import { RowLevelSecurity, TenantScope, type TenantSessions, tenantSessions } from "./tenantSessions.ts"
import { commitTransaction } from "./commitTransaction.ts"
import { connectionTarget } from "./connectionTarget.ts"
import { dropAnswered } from "./dropAnswered.ts"
import { poolSizes, tenantConnections } from "./poolSettings.ts"
import { watchSilence } from "./silentConnections.ts"
import { analyticsSettings, answerLimit, statementLimits } from "./statementLimits.ts"

export interface PostgresOptions {
  /** `postgres://…` or `postgresql://…`, with libpq's parameters; PostgreSQL 14 or newer. */
  readonly url: Redacted.Redacted<string>
  /** Connections for short reads, each of which carries many at once. Default 4. */
  readonly maxConnections?: number | undefined
  /** Connections for writes and transactions, one at a time each. Default 24. */
  readonly writeConnections?: number | undefined
  /** Connections for analytics, one statement each at a time. Default 4. */
  readonly analyticsConnections?: number | undefined
  /** Named prepared statements. Switch them off behind a pooler that does not keep sessions. Default true. */
  readonly prepare?: boolean | undefined
  /**
   * Milliseconds after which the server gives up a short statement (`statement_timeout`), and at most five seconds of them for its
   * wait for a lock (`lock_timeout`). 0 leaves both to the server and sends no startup options, as a pooler that refuses them needs;
   * otherwise sessions also switch PostgreSQL's JIT off. Settings of `options` in the URL win. Default 30,000.
   */
  readonly statementTimeoutMillis?: number | undefined
  /**
   * Milliseconds after which the client gives up a short statement without an answer. It closes the connection, and the statement fails like
   * one whose connection breaks. Default: five seconds after the server gives the statement up, or five minutes if `statementTimeoutMillis`
   * does not set that time.
   */
  readonly answerTimeoutMillis?: number | undefined
  /**
   * Tells other processes of changes with `NOTIFY` and keeps one more connection, for `LISTEN`, from the first request on. Without it
   * changes of other processes count within two seconds, with it usually at once. Default true.
   */
  readonly notifications?: boolean | undefined
  /**
   * Holds statements of an account to its rows in the database itself, as a second wall: they run under the role `gatewarden_tenant`, on
   * connections of their own. `docs/operating/postgresql.md` has the SQL that makes the role. Default false.
   */
  readonly rowLevelSecurity?: boolean | undefined
  /** How the connections show in `pg_stat_activity`. Default `gatewarden`. */
  readonly applicationName?: string | undefined
}

/**
 * The SQL clients over PostgreSQL: a pool whose connections short reads share, a pool that gives each write a connection of its own, a
 * pool for long reads, and a session that listens to notifications of other processes. Reads that share a connection save round trips.
 * Writes that shared one would wait for each other's flush to disk; PostgreSQL flushes those of several connections together.
 *
 * Connections are made when they are needed, so a server that is down shows with the first statement.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<SqlClient.SqlClient | AnalyticsSql, SqlError.SqlError> => {
  const applicationName = options.applicationName ?? "gatewarden"
  const target = connectionTarget(options.url)
  const shared = {
    url: options.url,
    ...target,
    prepare: options.prepare ?? true,
    // Nothing is sent on an idle connection that would show that the other end is gone.
    keepAlive: "30 seconds" as const,
    // Days and weeks are UTC throughout; a session of another zone would cut them elsewhere.
    startupParameters: { timezone: "UTC" }
  }
  const timeout = options.statementTimeoutMillis ?? 30_000
  const common = {
    driver: "@effect/sql-pg",
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit: commitTransaction,
    releaseSavepoint: (name: string) => `release savepoint ${name}`,
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["db.namespace", target.database ?? "postgres"],
      ["server.address", target.host ?? "localhost"],
      ["server.port", target.port ?? 5432]
    ] as const
  }
  const short = Effect.gen(function* () {
    const limited = { ...shared, ...statementLimits(options.url, timeout) }
    const watched = yield* watchSilence(options.answerTimeoutMillis ?? answerLimit(options.url, timeout))
    const makePool = (config: PgPool.Config) => Effect.map(PgPool.make(config), watched)
    const reads = yield* makePool({
      ...limited,
      applicationName,
      multiplex: true,
      maxConnections: options.maxConnections ?? poolSizes.reads
    })
    const writes = yield* makePool({
      ...limited,
      applicationName,
      multiplex: false,
      maxConnections: options.writeConnections ?? poolSizes.writes
    })
    const tenants = options.rowLevelSecurity
      ? tenantSessions(
          yield* makePool({
            ...limited,
            applicationName: `${applicationName} tenants`,
            multiplex: false,
            maxConnections: tenantConnections
          })
        )
      : undefined
    /** Statements of an account have sessions of their own where the database keeps accounts apart. */
    const apart = <A, E, R, B, F, S>(
      ofAccount: (sessions: TenantSessions) => Effect.Effect<A, E, R>,
      ofAll: Effect.Effect<B, F, S>
    ): Effect.Effect<A | B, E | F, R | S> =>
      tenants === undefined
        ? ofAll
        : Effect.flatMap(TenantScope, (account): Effect.Effect<A | B, E | F, R | S> =>
            account === undefined ? ofAll : ofAccount(tenants)
          )
    const client = yield* SqlClient.make({
      acquirer: Effect.map(
        apart(({ get }) => get, writes.get),
        pooled
      ),
      borrower: (use) =>
        apart(
          (sessions) => sessions.use((session) => use(pooled(session))),
          Effect.flatMap(WritesAlone, (alone) => (alone ? writes : reads).use((session) => use(pooled(session))))
        ),
      transactionAcquirer: Effect.map(
        apart(({ get }) => get, writes.reserve),
        pooled
      ),
      ...common
    })
    const through =
      (pool: typeof reads): Sends["read"] =>
      (text, parameters, taken) => {
        const query = (session: PgConnection.PgConnection) => {
          taken?.()
          return Effect.map(session.query(text, parameters), ({ rows }) => {
            dropAnswered(session)
            return rows
          })
        }
        return apart(({ use }) => use(query), pool.use(query))
      }
    return Context.make(SqlClient.SqlClient, client).pipe(
      Context.add(FixedStatements, {
        read: through(reads),
        write: through(writes),
        spanAttributes: common.spanAttributes
      }),
      Context.add(RowLevelSecurity, tenants !== undefined)
    )
  })
  const notified = Layer.effect(
    ChangeChannel,
    Effect.gen(function* () {
      return yield* makeChangeChannel({
        sql: yield* SqlClient.SqlClient,
        connect: PgConnection.make({
          ...shared,
          applicationName: `${applicationName} notifications`,
          prepare: false
        }),
        id: (yield* Entropy).uuid()
      })
    })
  )
  const clients = Layer.effectContext(short)
  const analytics = Effect.gen(function* () {
    const config = {
      ...shared,
      ...analyticsSettings(options.url, timeout),
      applicationName: `${applicationName} analytics`,
      multiplex: false,
      maxConnections: options.analyticsConnections ?? poolSizes.analytics
    }
    const pool = yield* PgPool.make(config)
    const sessions = options.rowLevelSecurity ? tenantSessions(pool) : pool
    return yield* SqlClient.make({
      ...common,
      acquirer: Effect.map(sessions.get, long),
      borrower: (use) => sessions.use((session) => use(long(session)))
    })
  })
  return Layer.mergeAll(
    options.notifications === false ? clients : Layer.provideMerge(notified, clients),
    Layer.effect(AnalyticsSql, analytics)
  ).pipe(Layer.provide(Reactivity.layer))
}

const pooled = (session: PgConnection.PgConnection) => new PooledConnection(session)
const long = (session: PgConnection.PgConnection) => new PooledConnection(session, true)
