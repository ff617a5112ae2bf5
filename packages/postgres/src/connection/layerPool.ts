import { Effect, Layer, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { defaultEscape, makeCompiler } from "effect/sql/Statement"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import type { HostPool } from "./HostPool.ts"
import { PoolConnection, lend } from "./PoolConnection.ts"
import { commitTransaction } from "./commitTransaction.ts"
import { placeholder } from "./parameters.ts"
import { type SettingRefused, requireSettings } from "./poolSettings.ts"

export interface PoolOptions {
  /** How many clients analytics may hold at once. Default 4. */
  readonly analyticsConnections?: number | undefined
}

const escape = defaultEscape('"')

/** No transforms of names: the store writes its own. */
const compiler = makeCompiler({
  dialect: "pg",
  placeholder,
  onIdentifier: escape,
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning ? ` RETURNING ${returning[0]}` : ""}`,
    returning ? [...values.flat(), ...returning[1]] : values.flat()
  ],
  onCustom: () => {
    throw new TypeError("The host's pool takes no custom fragments")
  }
})

const makeClient = (pool: HostPool, most?: number) => {
  const permits = most === undefined ? undefined : Semaphore.makeUnsafe(most)
  const acquirer = permits === undefined ? lend(pool) : Effect.andThen(permits.takeScoped(1), lend(pool))
  return SqlClient.make({
    driver: "host-pool",
    acquirer,
    compiler,
    // Whatever the host made the default of a session.
    beginTransaction: "begin isolation level read committed read write",
    commit: commitTransaction,
    isTransaction: (connection) => !(connection instanceof PoolConnection && connection.broken),
    releaseSavepoint: (name) => `release savepoint ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
}

/**
 * The SQL clients over a host's `pg.Pool`: one client of it for each statement or transaction, given back afterwards.
 *
 * The pool is the host's: it is not closed, and its sessions keep their settings. Fails when a session would read or write
 * values in another style than the default one.
 */
export const layerPool = (
  pool: HostPool,
  options: PoolOptions = {}
): Layer.Layer<SqlClient.SqlClient | AnalyticsSql, SqlError | SettingRefused> =>
  Layer.mergeAll(
    Layer.effect(SqlClient.SqlClient, Effect.tap(makeClient(pool), requireSettings)),
    Layer.effect(AnalyticsSql, makeClient(pool, options.analyticsConnections ?? 4))
  ).pipe(Layer.provide(Reactivity.layer))
