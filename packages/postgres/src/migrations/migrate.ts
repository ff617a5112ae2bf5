import { Clock, Duration, Effect, Exit, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  type AppliedMigration,
  type DatabaseAhead,
  FormerDatabase,
  FunctionFailed,
  type Migration,
  MigrationBlocked,
  type MigrationChanged,
  MigrationFailed,
  MigrationLockTimeout,
  MigrationPending,
  type MigrationSkipped,
  type MigrationStatus,
  type Schema,
  compareMigrations,
  isFormer,
  migrationChecksum,
  migrationProblem
} from "./Migration.ts"
import {
  type AppliedFunction,
  compareFunctions,
  functionChecksum,
  type FunctionStatus,
  type SqlFunction
} from "../functions/SqlFunction.ts"
import { Unhurried } from "../transfer/transferTransaction.ts"

/** The advisory lock of migrations: "gate" and "migr" in ASCII. It is of one database, not of the server. */
const lockKeys = [0x67617465, 0x6d696772]

const createTables = [
  `create table if not exists gatewarden_migration (
  id integer primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null
)`,
  `create table if not exists gatewarden_function (
  name text primary key,
  checksum text not null,
  applied_as text not null,
  applied_at timestamptz not null
)`
]

const selectApplied = `select id, name, checksum,
  to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  from gatewarden_migration order by id`

/** Functions lie where the tables do. What one looks like is told apart by what whoever changes it could change. */
const functionOf = (name: string) => `(
    select string_agg(md5(concat_ws('|', p.prosrc, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), l.lanname,
      p.provolatile, p.proisstrict, p.prosecdef, p.proparallel, p.proconfig::text)), ',' order by p.oid)
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.proname = ${name} and p.pronamespace = (select relnamespace from pg_class where oid = 'gatewarden_function'::regclass)
  )`

/** Looking at the functions themselves takes a while: a start does not, and takes them for what was applied. */
const selectFunctions = (looks: boolean) =>
  `select name, checksum, applied_as, ${looks ? functionOf("f.name") : "applied_as"} from gatewarden_function f order by name`

const recordFunctions = `insert into gatewarden_function (name, checksum, applied_as, applied_at)
  select f.name, f.checksum, ${functionOf("f.name")}, now()
  from json_to_recordset($1::json) as f (name text, checksum text)
  on conflict (name) do update
    set checksum = excluded.checksum, applied_as = excluded.applied_as, applied_at = excluded.applied_at`

/** Drops every function of these names, whatever its arguments. */
const dropFunctions = `select format('drop function %s', p.oid::regprocedure) from pg_proc p
  where p.proname in (select json_array_elements_text($1::json))
    and p.pronamespace = (select relnamespace from pg_class where oid = 'gatewarden_function'::regclass)`

const selectHolder = `select 'process ' || pid || ' (' || application_name || ')' || coalesce(' at ' || host(client_addr), '')
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())`

/** Runs one statement on the connection of the run and answers its rows as arrays. */
type Run = (sql: string, parameters?: readonly unknown[]) => Effect.Effect<readonly (readonly unknown[])[], SqlError>

/** One connection, taken out of the pool: session locks and transactions need the same one all along. */
const reserve: Effect.Effect<Run, SqlError, SqlClient.SqlClient | Scope.Scope> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* Effect.provideService(sql.reserve, Unhurried, true)
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

interface Applied {
  readonly migrations: readonly AppliedMigration[]
  readonly functions: readonly AppliedFunction[]
}

const readApplied = Effect.fnUntraced(function* (run: Run, looks: boolean): Effect.fn.Return<Applied, SqlError> {
  // Looked for first, because making a table needs a right that a server with nothing to migrate need not have.
  const [found] = yield* run(
    "select to_regclass('gatewarden_migration') is not null, to_regclass('gatewarden_function') is not null"
  )
  const rows = found?.[0] === true ? yield* run(selectApplied) : []
  const functions = found?.[1] === true ? yield* run(selectFunctions(looks)) : []
  return {
    migrations: rows.map(([id, name, checksum, applied_at]) => ({
      id: Number(id),
      name: String(name),
      checksum: String(checksum),
      applied_at: String(applied_at)
    })),
    functions: functions.map(([name, checksum, applied_as, present]) => ({
      name: String(name),
      checksum: String(checksum),
      applied_as: String(applied_as),
      present: present === null ? null : String(present)
    }))
  }
})

/** Where a database stands with a schema. */
interface Standing {
  readonly migrations: readonly MigrationStatus[]
  readonly functions: readonly FunctionStatus[]
  readonly problem: MigrationChanged | MigrationSkipped | DatabaseAhead | FormerDatabase | undefined
}

const standingOf = ({ migrations, functions }: Schema, applied: Applied): Standing => {
  const statuses = compareMigrations(migrations, applied.migrations)
  return {
    migrations: statuses,
    functions: compareFunctions(functions, applied.functions),
    problem: isFormer(migrations, applied.migrations)
      ? new FormerDatabase({ databaseVersion: applied.migrations.at(-1)?.id ?? 0 })
      : migrationProblem(statuses)
  }
}

/** How often a process asks for the lock that another one holds. */
const lockInterval = "100 millis"

/**
 * Holds the lock until the scope closes, even if the wait for it is interrupted at the moment it is granted.
 *
 * It asks again and again instead of waiting in the database: the snapshot of a waiting statement would hold up `create index concurrently` of
 * the process that has the lock.
 */
const lock = Effect.fnUntraced(function* (run: Run, waitFor: Duration.Duration) {
  yield* Effect.addFinalizer(() => Effect.ignore(run("select pg_advisory_unlock($1::int, $2::int)", lockKeys)))
  const tried = Effect.map(run("select pg_try_advisory_lock($1::int, $2::int)", lockKeys), ([row]) => row?.[0] === true)
  if (yield* tried) return
  const holder = Effect.map(run(selectHolder, lockKeys), ([row]) => row && String(row[0]))
  yield* Effect.logInfo("Another process migrates the database; waiting", { holder: yield* holder })
  const waitedMillis = Math.max(1, Math.ceil(Duration.toMillis(waitFor)))
  const deadline = (yield* Clock.currentTimeMillis) + waitedMillis
  while (!(yield* tried)) {
    if ((yield* Clock.currentTimeMillis) >= deadline)
      return yield* new MigrationLockTimeout({ waitedMillis, holder: yield* holder })
    yield* Effect.sleep(lockInterval)
  }
})

/**
 * One statement that runs them all: the protocol takes one at a time, and only PostgreSQL knows where one ends. The
 * quotes cannot occur in the text that they are the checksum of.
 */
const asOneStatement = (sql: string, checksum: string): string =>
  `do $do_${checksum}$ begin execute $sql_${checksum}$${sql}$sql_${checksum}$; end $do_${checksum}$`

/** Where in a text PostgreSQL found what is wrong, and what it says of it. */
const described = (sql: string, error: SqlError) => {
  const cause: unknown = error.reason.cause
  const fields = cause instanceof Error ? cause : new Error(error.message)
  const position = "internalPosition" in fields ? Number(fields.internalPosition) : Number.NaN
  return {
    line:
      position > 0
        ? Array.from(sql)
            .slice(0, position - 1)
            .join("")
            .split("\n").length
        : undefined,
    problem: fields.message,
    cause: error
  }
}

const applied =
  "insert into gatewarden_migration (id, name, checksum, applied_at) values ($1::int, $2::text, $3::text, now())"

const applyWith = (run: Run, migration: Migration, made: Effect.Effect<unknown, SqlError>) => {
  const { id, name, sql } = migration
  return made.pipe(
    Effect.andThen(run(applied, [id, name, migrationChecksum(migration)])),
    Effect.mapError((error) => new MigrationFailed({ id, name, ...described(sql, error) })),
    Effect.tap(Effect.logDebug("Applied migration", { id, name }))
  )
}

const apply = (run: Run, migration: Migration): Effect.Effect<void, MigrationFailed> =>
  applyWith(run, migration, run(asOneStatement(migration.sql, migrationChecksum(migration))))

const selectInvalid = `select format('drop index concurrently %s', i.indexrelid::regclass)
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relname = $1::text and not i.indisvalid
    and c.relnamespace = (select relnamespace from pg_class where oid = 'gatewarden_migration'::regclass)`

/** An attempt that was interrupted leaves an index that PostgreSQL does not use and `if not exists` finds. */
const applyIndex = (run: Run, migration: Migration): Effect.Effect<void, MigrationFailed> =>
  applyWith(
    run,
    migration,
    Effect.gen(function* () {
      for (const [statement] of yield* run(selectInvalid, [migration.index])) yield* run(String(statement))
      yield* run(migration.sql)
    })
  )

/** It waits for transactions that are open, however long they take, and nobody waits for it. */
const applyIndexes = (run: Run, migrations: readonly Migration[]) => {
  const limits = ["statement_timeout", "lock_timeout"]
  return migrations.length === 0
    ? Effect.void
    : Effect.forEach(limits, (name) => run(`set ${name} = 0`)).pipe(
        Effect.andThen(Effect.forEach(migrations, (one) => applyIndex(run, one), { discard: true })),
        Effect.ensuring(Effect.forEach(limits, (name) => Effect.ignore(run(`reset ${name}`))))
      )
}

/**
 * Whatever else has the name goes: one that takes other arguments now stands beside what it was, and one that answers something else cannot
 * take its place. The row of the one that was replaced is another than before.
 */
const replacing = ({ name }: SqlFunction, text: string): string => `
declare
  before tid[] := array(select ctid from pg_proc where proname = '${name}' and pronamespace = current_schema()::regnamespace);
  one oid;
begin
  begin
    ${text}
  exception when invalid_function_definition then
    for one in select oid from pg_proc where ctid = any (before) loop execute 'drop function ' || one::regprocedure; end loop;
    ${text}
  end;
  for one in
    select oid from pg_proc
    where ctid = any (before) and proname = '${name}' and pronamespace = current_schema()::regnamespace
  loop
    execute 'drop function ' || one::regprocedure;
  end loop;
end`

const applyFunction = (run: Run, one: SqlFunction): Effect.Effect<void, FunctionFailed> => {
  const checksum = functionChecksum(one)
  const body = replacing(one, `execute $sql_${checksum}$${one.sql}$sql_${checksum}$;`)
  return run(`do $do_${checksum}$ ${body} $do_${checksum}$`).pipe(
    Effect.mapError((error) => new FunctionFailed({ name: one.name, ...described(one.sql, error) })),
    Effect.andThen(Effect.logDebug("Applied function", { name: one.name }))
  )
}

const drop = Effect.fnUntraced(function* (run: Run, names: readonly string[]) {
  if (names.length === 0) return
  for (const [statement] of yield* run(dropFunctions, [JSON.stringify(names)])) yield* run(String(statement))
  yield* run("delete from gatewarden_function where name in (select json_array_elements_text($1::json))", [
    JSON.stringify(names)
  ])
})

const assertOrder = (migrations: readonly Migration[]): void => {
  const misplaced = migrations.find(({ id }, index) => id <= (migrations[index - 1]?.id ?? 0))
  if (misplaced !== undefined) throw new Error(`Migration ${misplaced.id} (${misplaced.name}) is out of order`)
}

export type MigrateError =
  | MigrationChanged
  | MigrationSkipped
  | DatabaseAhead
  | FormerDatabase
  | MigrationLockTimeout
  | MigrationBlocked
  | MigrationFailed
  | FunctionFailed
  | SqlError

export interface MigrateOptions {
  /** How long to wait while another process migrates the database, and then for the locks on tables. Default 60 seconds each. */
  readonly waitFor?: Duration.Input | undefined
  /** Also applies functions anew that were changed by hand. Default false: they are left as somebody made them. */
  readonly restoreFunctions?: boolean | undefined
}

/** What was applied. */
export interface MigrateResult {
  readonly migrations: readonly Migration[]
  /** Names of functions. */
  readonly functions: readonly string[]
}

/** What a migration of one database has to do. */
interface Todo {
  readonly migrations: readonly Migration[]
  readonly functions: readonly SqlFunction[]
  readonly dropped: readonly string[]
}

const todoOf = (schema: Schema, standing: Standing, restores: boolean): Todo => {
  const isPending = new Set(standing.migrations.flatMap(({ id, state }) => (state === "pending" ? [id] : [])))
  const stateOf = new Map(standing.functions.map(({ name, state }) => [name, state]))
  return {
    migrations: schema.migrations.filter(({ id }) => isPending.has(id)),
    functions: schema.functions.filter(({ name }) => {
      const state = stateOf.get(name)
      return state === "pending" || (restores && state === "edited")
    }),
    dropped: standing.functions.flatMap(({ name, state }) => (state === "undeclared" ? [name] : []))
  }
}

const nothing: MigrateResult = { migrations: [], functions: [] }

const isNothing = ({ migrations, functions, dropped }: Todo): boolean =>
  migrations.length + functions.length + dropped.length === 0

/**
 * How long a migration waits for a lock on a table before it gives up and starts again. All other statements on the table wait behind it for
 * that time, so it is far below the five seconds that they wait at most.
 */
const tableLockTimeout = "500ms"

/** Between attempts, the statements that waited behind the last one have their turn. */
/** The shorter of the two pauses. */
const betweenAttempts = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])

/**
 * All but indexes in one transaction, so that a database is never between two versions. Functions come first, for triggers and what else a
 * migration makes may need them; those that are no longer declared go last, when nothing needs them.
 */
const performOnce = (run: Run, { migrations, functions, dropped }: Todo) => {
  const body = Effect.gen(function* () {
    yield* run("set local statement_timeout = 0")
    yield* run(`set local lock_timeout = '${tableLockTimeout}'`)
    yield* Effect.forEach(createTables, (text) => run(text), { discard: true })
    // Their bodies speak of tables that the migrations behind them make.
    yield* run("set local check_function_bodies = off")
    yield* Effect.forEach(functions, (one) => applyFunction(run, one), { discard: true })
    yield* Effect.forEach(
      migrations.filter(({ index }) => index === undefined),
      (migration) => apply(run, migration),
      { discard: true }
    )
    yield* drop(run, dropped)
    yield* run(recordFunctions, [
      JSON.stringify(functions.map((one) => ({ name: one.name, checksum: functionChecksum(one) })))
    ])
  })
  return inTransaction(run, body)
}

const selectOldest = `select 'process ' || pid || ' (' || application_name || ') since ' || xact_start from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null order by xact_start limit 1`

const isBlocked = (error: SqlError | MigrationFailed | FunctionFailed): boolean => {
  const { reason } = error._tag === "SqlError" ? error : error.cause
  return reason._tag === "LockTimeoutError" || reason._tag === "DeadlockError"
}

const perform = Effect.fnUntraced(function* (run: Run, todo: Todo, waitFor: Duration.Duration) {
  const start = yield* Clock.currentTimeMillis
  const waited = Effect.map(Clock.currentTimeMillis, (now) => now - start)
  let attempts = 0
  const attempt = Effect.suspend(() => {
    attempts++
    return performOnce(run, todo)
  })
  const mayTryAgain = Effect.fnUntraced(function* (error: Parameters<typeof isBlocked>[0]) {
    if (!isBlocked(error) || (yield* waited) >= Duration.toMillis(waitFor)) return false
    yield* Effect.logInfo("A transaction holds a table that a migration changes; trying again", { attempts })
    return true
  })
  yield* Effect.catchIf(
    Effect.retry(attempt, { while: mayTryAgain, schedule: betweenAttempts }),
    isBlocked,
    Effect.fnUntraced(function* () {
      const oldest = yield* Effect.map(run(selectOldest), ([row]) => row && String(row[0]))
      return yield* new MigrationBlocked({ waitedMillis: yield* waited, attempts, oldest })
    })
  )
  yield* applyIndexes(
    run,
    todo.migrations.filter(({ index }) => index !== undefined)
  )
})

/**
 * Brings the database to what this version has, and answers what it applied: the migrations that are missing, in order; each function
 * whose text is not the one that was applied last; and away with functions that this version does not have.
 *
 * Servers may run on the database meanwhile: locks on tables are waited for briefly, and then again. Any number of processes may start at once:
 * one does it under a session advisory lock, the others wait and find nothing left to do. All but indexes is one transaction: what fails or
 * dies half-way has changed nothing. An index that was not finished is made anew. With nothing to apply it takes no lock and needs no right
 * but to read.
 *
 * Not for a connection pooler in transaction mode, which has no sessions to lock with.
 */
export const migrate = Effect.fn("migrate")(function* (
  schema: Schema,
  options: MigrateOptions = {}
): Effect.fn.Return<MigrateResult, MigrateError, SqlClient.SqlClient> {
  assertOrder(schema.migrations)
  const restores = options.restoreFunctions ?? false
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const run = yield* reserve
      const pending = Effect.gen(function* () {
        const standing = standingOf(schema, yield* readApplied(run, restores))
        if (standing.problem !== undefined) return yield* standing.problem
        return todoOf(schema, standing, restores)
      })
      if (isNothing(yield* pending)) return nothing
      const waitFor = Duration.fromInputUnsafe(options.waitFor ?? "60 seconds")
      yield* lock(run, waitFor)
      const todo = yield* pending
      if (isNothing(todo)) return nothing
      yield* perform(run, todo, waitFor)
      const { migrations, functions } = todo
      yield* Effect.logInfo("Applied migrations", {
        count: migrations.length,
        last: migrations.at(-1)?.name,
        functions: functions.length
      })
      return { migrations, functions: functions.map(({ name }) => name) }
    })
  )
})

const readStanding = (schema: Schema, looks: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const run = yield* reserve
      return standingOf(schema, yield* readApplied(run, looks))
    })
  )

/** Every migration that the database or this version knows, by id, and where the database stands with it. */
export const migrationStatus = Effect.fn("migrationStatus")(function* (
  schema: Schema
): Effect.fn.Return<readonly MigrationStatus[], SqlError, SqlClient.SqlClient> {
  return (yield* readStanding(schema, false)).migrations
})

/** Every function that this version has or another one has applied, and where the database stands with it. */
export const functionStatus = Effect.fn("functionStatus")(function* (
  schema: Schema
): Effect.fn.Return<readonly FunctionStatus[], SqlError, SqlClient.SqlClient> {
  return (yield* readStanding(schema, true)).functions
})

/**
 * Fails unless the database has exactly the migrations that this version knows, and its functions as they were applied or as somebody has
 * changed them since. Needs no right but to read.
 */
export const requireMigrated = Effect.fn("requireMigrated")(function* (
  schema: Schema
): Effect.fn.Return<void, MigrateError | MigrationPending, SqlClient.SqlClient> {
  const { migrations, functions, problem } = yield* readStanding(schema, false)
  if (problem !== undefined) return yield* problem
  const pending = migrations.filter(({ state }) => state === "pending")
  const lacking = functions.flatMap(({ name, state }) => (state === "pending" ? [name] : []))
  if (pending.length > 0 || lacking.length > 0) return yield* new MigrationPending({ pending, functions: lacking })
})
