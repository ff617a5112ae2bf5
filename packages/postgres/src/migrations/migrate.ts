import { Duration, Effect, Exit } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppliedMigration, Migration, MigrationStatus } from "./Migration.ts"
import type { DatabaseAhead, MigrationChanged, MigrationSkipped } from "./Migration.ts"
import {
  compareMigrations,
  migrationChecksum,
  MigrationFailed,
  MigrationLockTimeout,
  MigrationPending,
  migrationProblem
} from "./Migration.ts"

/** The advisory lock of migrations: "gate" and "migr" in ASCII. It is of one database, not of the server. */
const lockKeys = [0x67617465, 0x6d696772]

const createTable = `create table if not exists gatewarden_migration (
  id integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null
)`

const selectApplied = `select id, name, checksum,
  to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  from gatewarden_migration order by id`

const selectHolder = `select 'process ' || pid || ' (' || application_name || ')' || coalesce(' at ' || host(client_addr), '')
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())`

/** Runs one statement on the connection of the run and answers its rows as arrays. */
type Run = (sql: string, parameters?: readonly unknown[]) => Effect.Effect<readonly (readonly unknown[])[], SqlError>

/** One connection, taken out of the pool: session locks and transactions need the same one all along. */
const reserve: Effect.Effect<Run, SqlError, SqlClient.SqlClient | Scope.Scope> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  return (text, parameters = []) => connection.executeValuesUnprepared(text, parameters)
})

const inTransaction = <A, E>(run: Run, body: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* run("begin")
      const exit = yield* Effect.exit(restore(body))
      yield* Exit.isSuccess(exit) ? run("commit") : Effect.ignore(run("rollback"))
      return yield* exit
    })
  )

const readApplied = Effect.fnUntraced(function* (run: Run): Effect.fn.Return<readonly AppliedMigration[], SqlError> {
  // Looked for first, because making a table needs a right that a server with nothing to migrate need not have.
  const [found] = yield* run("select to_regclass('gatewarden_migration') is not null")
  if (found?.[0] !== true) return []
  const rows = yield* run(selectApplied)
  return rows.map(([id, name, checksum, applied_at]) => ({
    id: Number(id),
    name: String(name),
    checksum: String(checksum),
    applied_at: String(applied_at)
  }))
})

/** Holds the lock until the scope closes, even if the wait for it is interrupted at the moment it is granted. */
const lock = Effect.fnUntraced(function* (run: Run, waitFor: Duration.Duration) {
  yield* Effect.addFinalizer(() => Effect.ignore(run("select pg_advisory_unlock($1::int, $2::int)", lockKeys)))
  const [tried] = yield* run("select pg_try_advisory_lock($1::int, $2::int)", lockKeys)
  if (tried?.[0] === true) return
  const holder = yield* Effect.map(run(selectHolder, lockKeys), ([row]) => row && String(row[0]))
  yield* Effect.logInfo("Another process migrates the database; waiting", { holder })
  // The server keeps the time; 0 would mean no limit to it.
  const waitedMillis = Math.min(Math.max(1, Math.ceil(Duration.toMillis(waitFor))), 2 ** 31 - 1)
  yield* inTransaction(
    run,
    Effect.gen(function* () {
      yield* run(`set local lock_timeout = ${waitedMillis}`)
      yield* run("set local statement_timeout = 0")
      yield* run("select pg_advisory_lock($1::int, $2::int)", lockKeys)
    })
  ).pipe(
    Effect.catch((error) =>
      error.reason._tag === "LockTimeoutError"
        ? Effect.flatMap(run(selectHolder, lockKeys), ([row]) =>
            Effect.fail(new MigrationLockTimeout({ waitedMillis, holder: row && String(row[0]) }))
          )
        : Effect.fail(error)
    )
  )
})

/**
 * One statement that runs them all: the protocol takes one at a time, and only PostgreSQL knows where one ends. The
 * quotes cannot occur in the text that they are the checksum of.
 */
const asOneStatement = (sql: string, checksum: string): string =>
  `do $do_${checksum}$ begin execute $sql_${checksum}$${sql}$sql_${checksum}$; end $do_${checksum}$`

const describe = (migration: Migration, error: SqlError): MigrationFailed => {
  const cause: unknown = error.reason.cause
  const fields = cause instanceof Error ? cause : new Error(error.message)
  const position = "internalPosition" in fields ? Number(fields.internalPosition) : Number.NaN
  return new MigrationFailed({
    id: migration.id,
    name: migration.name,
    line:
      position > 0
        ? Array.from(migration.sql)
            .slice(0, position - 1)
            .join("")
            .split("\n").length
        : undefined,
    problem: fields.message,
    cause: error
  })
}

const apply = (run: Run, migration: Migration): Effect.Effect<void, MigrationFailed> => {
  const checksum = migrationChecksum(migration)
  return inTransaction(
    run,
    Effect.gen(function* () {
      yield* run("set local statement_timeout = 0")
      yield* run("set local lock_timeout = 0")
      yield* run(asOneStatement(migration.sql, checksum))
      yield* run(
        "insert into gatewarden_migration (id, name, checksum, applied_at) values ($1::int, $2::text, $3::text, now())",
        [migration.id, migration.name, checksum]
      )
    })
  ).pipe(
    Effect.mapError((error) => describe(migration, error)),
    Effect.tap(Effect.logDebug("Applied migration", { id: migration.id, name: migration.name }))
  )
}

const assertOrder = (migrations: readonly Migration[]): void => {
  const misplaced = migrations.find(({ id }, index) => id <= (migrations[index - 1]?.id ?? 0))
  if (misplaced !== undefined) throw new Error(`Migration ${misplaced.id} (${misplaced.name}) is out of order`)
}

export type MigrateError =
  | MigrationChanged
  | MigrationSkipped
  | DatabaseAhead
  | MigrationLockTimeout
  | MigrationFailed
  | SqlError

export interface MigrateOptions {
  /** How long to wait while another process migrates the database. Default 60 seconds. */
  readonly waitFor?: Duration.Input | undefined
}

/**
 * Applies the migrations that the database lacks, in order, and answers those it applied.
 *
 * Any number of processes may start at once: one applies them under a session advisory lock, the others wait and find
 * nothing left to do. Each migration and its row in `gatewarden_migration` are one transaction, so a run that dies is
 * continued by the next. With nothing to apply it takes no lock and needs no right but to read.
 *
 * Not for a connection pooler in transaction mode, which has no sessions to lock with.
 */
export const migrate = Effect.fn("migrate")(function* (
  migrations: readonly Migration[],
  options: MigrateOptions = {}
): Effect.fn.Return<readonly Migration[], MigrateError, SqlClient.SqlClient> {
  assertOrder(migrations)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const run = yield* reserve
      const pending = Effect.gen(function* () {
        const statuses = compareMigrations(migrations, yield* readApplied(run))
        const problem = migrationProblem(statuses)
        if (problem !== undefined) return yield* problem
        const ids = new Set(statuses.filter(({ state }) => state === "pending").map(({ id }) => id))
        return migrations.filter(({ id }) => ids.has(id))
      })
      if ((yield* pending).length === 0) return []
      yield* lock(run, Duration.fromInputUnsafe(options.waitFor ?? "60 seconds"))
      const todo = yield* pending
      if (todo.length === 0) return []
      yield* run(createTable)
      yield* Effect.forEach(todo, (migration) => apply(run, migration), { discard: true })
      yield* Effect.logInfo("Applied migrations", { count: todo.length, last: todo.at(-1)?.name })
      return todo
    })
  )
})

/** Every migration that the database or this version knows, by id, and where the database stands with it. */
export const migrationStatus = Effect.fn("migrationStatus")(function* (
  migrations: readonly Migration[]
): Effect.fn.Return<readonly MigrationStatus[], SqlError, SqlClient.SqlClient> {
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const run = yield* reserve
      return compareMigrations(migrations, yield* readApplied(run))
    })
  )
})

/** Fails unless the database has exactly the migrations that this version knows. Needs no right but to read. */
export const requireMigrated = Effect.fn("requireMigrated")(function* (
  migrations: readonly Migration[]
): Effect.fn.Return<void, MigrateError | MigrationPending, SqlClient.SqlClient> {
  const statuses = yield* migrationStatus(migrations)
  const problem = migrationProblem(statuses)
  if (problem !== undefined) return yield* problem
  const pending = statuses.filter(({ state }) => state === "pending")
  if (pending.length > 0) return yield* new MigrationPending({ pending })
})
