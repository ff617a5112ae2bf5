/** The transactions that whole tables are read and filled in. Text of values is the same on every server, whatever its settings. */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whether a connection that is reserved may be without an answer for as long as it takes, as for work on whole tables. */
export const Unhurried = Context.Reference<boolean>("gatewarden/Unhurried", { defaultValue: () => false })

/** "gate" and "load" in ASCII. */
const lockKeys = [0x67617465, 0x6c6f6164]

const settings = {
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
  statement_timeout: "0",
  // The session of a load that was killed may live a little longer than its process.
  lock_timeout: "60s",
  idle_in_transaction_session_timeout: "0"
}

const within =
  (begin: string, ...first: readonly string[]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.gen(function* () {
        for (const [name, value] of Object.entries(settings)) yield* sql.unsafe(`set local ${name} = '${value}'`)
        for (const statement of first) yield* sql.unsafe(statement)
        return yield* effect
      }).pipe(
        sql.withTransaction,
        Effect.provideService(SqlClient.BeginTransaction, begin),
        Effect.provideService(Unhurried, true)
      )
    )

/** Everything read in it is of one moment. */
export const inSnapshot = within("begin isolation level repeatable read read only")

/** Everything written in it is there as a whole or not at all. One at a time: another waits for its end. */
export const inLoad = within(
  "begin",
  `select pg_advisory_xact_lock(${lockKeys.join(", ")})`,
  "set constraints all deferred"
)
