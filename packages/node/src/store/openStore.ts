/**
 * Opens the store that a configuration names, with the keyring that goes with it.
 *
 * Rule: operating#data-directory. The embedded store belongs to one process: its data directory is locked before anything in it is
 * read. What a failure means to a supervisor is decided here, by its exit code.
 */
import {
  Entropy,
  FileContents,
  OutcomeUnknown,
  type StorePorts,
  StoreUnavailable,
  type Keyring,
  layerMemory,
  newKeyring,
  parseKeyring
} from "@gatewarden/core/internal"
import {
  describeSqlError,
  DirectoryInUse,
  layerPgliteClients,
  layerPgliteClientsPrepared,
  layerPostgres,
  layerStore,
  lockDirectory,
  makePrivateDirectory,
  type MigrateError,
  type RowLevelSecurityMissing,
  type SqlClients
} from "@gatewarden/postgres/internal"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Configuration } from "../config/readConfiguration.ts"
import { type Failed, failed } from "../failure/Failed.ts"
import { isFull } from "../failure/fileFailure.ts"
import { bucketOf } from "../config/fileVariables.ts"
import { layerDirectoryFileContents } from "../file/directoryFileContents.ts"
import { s3FileContents } from "../file/s3FileContents.ts"
import { findMoved, movedFile } from "./movedFile.ts"
import { createPrivateFile } from "../platform/privateFiles.ts"

export interface OpenStore {
  readonly ports: Context.Context<StorePorts>
  /** The SQL beneath the ports; the in-memory store has none. */
  readonly sql: Context.Context<SqlClients> | undefined
  /** Whether contents of files are kept beside the database, not in it. */
  readonly filesBeside: boolean
  readonly keyring: Keyring
}

export interface OpenOptions {
  /** Opens an embedded store that was moved away, too. */
  readonly evenIfMoved?: boolean
}

/** The SQL of a configuration without touching its schema; undefined for the in-memory store. */
export const openSql = Effect.fnUntraced(function* (configuration: Configuration) {
  yield* lockDataDirectory(configuration, {})
  return yield* connect(configuration, layerPgliteClients)
})

/**
 * The same for whoever makes the schema. A new embedded database gets its keyring first: one that is found without counts as
 * one that has lost it.
 */
export const openToMigrate = Effect.fnUntraced(function* (configuration: Configuration) {
  yield* lockDataDirectory(configuration, {})
  if (isUnmade(configuration) && configuration.values.GATEWARDEN_KEYRING === undefined)
    yield* keptKeyring(configuration)
  return yield* connect(configuration, layerPgliteClients)
})

/** The same, with the place of file contents where those are kept beside it. */
export const openBare = Effect.fnUntraced(function* (configuration: Configuration) {
  const sql = yield* openSql(configuration)
  return { sql, files: yield* openFiles(configuration) }
})

export const openStore = Effect.fnUntraced(function* (configuration: Configuration, options: OpenOptions = {}) {
  yield* lockDataDirectory(configuration, options)
  const keyring = yield* keyringOf(configuration)
  const sql = yield* connect(configuration, layerPgliteClientsPrepared)
  const layer = sql === undefined ? layerMemory : layerStore.pipe(Layer.provide(Layer.succeedContext(sql)))
  const stored = yield* orStartFailure(Layer.build(layer))
  const withUsage = yield* openUsage(configuration, stored)
  const ports = Context.merge(withUsage, yield* openFiles(configuration))
  const filesBeside = configuration.database.kind === "embedded" || bucketOf(configuration.values) !== undefined
  return { ports, sql, filesBeside, keyring } satisfies OpenStore
})

/** Where a ClickHouse is named, usage is read from it. Without one nothing of it is loaded. */
const openUsage = Effect.fnUntraced(function* ({ values }: Configuration, stored: Context.Context<StorePorts>) {
  const { GATEWARDEN_CLICKHOUSE_URL: url, GATEWARDEN_CLICKHOUSE_CLUSTER: cluster } = values
  if (url === undefined) return stored
  const { layerClickhouse } = yield* Effect.promise(() => import("@gatewarden/clickhouse/internal"))
  return yield* orClickhouseFailure(Layer.build(layerClickhouse(Layer.succeedContext(stored), { url, cluster })))
})

/** Creates what is missing in ClickHouse, where one is named. */
export const migrateUsage = Effect.fnUntraced(function* ({ values }: Configuration) {
  const { GATEWARDEN_CLICKHOUSE_URL: url, GATEWARDEN_CLICKHOUSE_CLUSTER: cluster } = values
  if (url === undefined) return
  const { migrateClickhouse, openClickhouse } = yield* Effect.promise(() => import("@gatewarden/clickhouse/internal"))
  yield* orClickhouseFailure(
    Effect.flatMap(openClickhouse({ url, cluster }), (clickhouse) => migrateClickhouse(clickhouse, { cluster }))
  )
}, Effect.scoped)

/** What ClickHouse said is shown to the operator only, as what the database says. */
export const orClickhouseFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failed, R> =>
  Effect.catchDefect(effect, (defect) => {
    if (!(defect instanceof Error)) return Effect.die(defect)
    const { cause } = defect
    if (defect instanceof StoreUnavailable)
      return Effect.fail(
        failed(
          "unavailable",
          `ClickHouse does not answer: ${cause instanceof Error ? cause.message : "no reason was given"}`
        )
      )
    return "code" in defect
      ? Effect.fail(failed("failure", `ClickHouse refused: ${defect.message}`))
      : Effect.die(defect)
  })

/** A bucket keeps contents of files where there is one. Else the embedded database is spared them; the other stores keep them themselves. */
const openFiles = ({ database, values }: Configuration): Effect.Effect<Context.Context<never>, Failed, Scope.Scope> => {
  const bucket = bucketOf(values)
  if (bucket !== undefined) return Effect.succeed(Context.make(FileContents, s3FileContents(bucket)))
  if (database.kind !== "embedded") return Effect.succeed(Context.empty())
  const directory = values.GATEWARDEN_DATA_DIR
  return Effect.mapError(Layer.build(layerDirectoryFileContents(join(directory, "files"))), ({ cause }) =>
    directoryFailure(directory)(cause)
  )
}

/** Where the embedded database lives within the data directory. */
export const databaseDirectory = (directory: string): string => join(directory, "database")

/** Postgres writes this file first when it makes a database. */
const hasDatabase = (directory: string): boolean => existsSync(join(databaseDirectory(directory), "PG_VERSION"))

/** The embedded store of a configuration was never opened. */
export const isUnmade = ({ database, values }: Configuration): boolean =>
  database.kind === "embedded" && !hasDatabase(values.GATEWARDEN_DATA_DIR)

/** Whoever brings the schema up to date next may have a new embedded database that has it. */
const connect = Effect.fnUntraced(function* (
  { database, values }: Configuration,
  layerEmbedded: typeof layerPgliteClients
) {
  switch (database.kind) {
    case "memory":
      return undefined
    case "postgres":
      return yield* orStartFailure(
        Layer.build(
          layerPostgres({
            url: database.url,
            statementTimeoutMillis: values.GATEWARDEN_STATEMENT_TIMEOUT_MS,
            notifications: values.GATEWARDEN_NOTIFICATIONS,
            rowLevelSecurity: values.GATEWARDEN_ROW_LEVEL_SECURITY === "on"
          })
        )
      )
    case "embedded":
      return yield* orStartFailure(
        Layer.build(layerEmbedded({ dataDir: databaseDirectory(values.GATEWARDEN_DATA_DIR) }))
      )
  }
})

/** Makes the data directory of the embedded store this process's own until the scope closes. */
const lockDataDirectory = Effect.fnUntraced(function* (
  { database, values }: Configuration,
  { evenIfMoved }: OpenOptions
) {
  if (database.kind !== "embedded") return
  const directory = values.GATEWARDEN_DATA_DIR
  const claim = async () => {
    await makePrivateDirectory(directory)
    return lockDirectory(directory)
  }
  yield* Effect.acquireRelease(Effect.tryPromise({ try: claim, catch: directoryFailure(directory) }), (release) =>
    Effect.promise(release)
  )
  const moved = evenIfMoved === true ? undefined : yield* Effect.promise(() => findMoved(directory))
  if (moved !== undefined)
    return yield* failed(
      "directory",
      `The installation in ${directory} was moved to ${moved.to} at ${moved.at}: set DATABASE_URL, ` +
        `or remove ${movedFile(directory)} to go on with the copy that is here`
    )
})

/** The keyring that the variable names, or that is kept in the data directory, which gets one if its store is new. */
export const keyringOf = (configuration: Configuration): Effect.Effect<Keyring, Failed> => {
  const { GATEWARDEN_KEYRING } = configuration.values
  return GATEWARDEN_KEYRING === undefined ? keptKeyring(configuration) : Effect.succeed(GATEWARDEN_KEYRING)
}

const keptKeyring = (configuration: Configuration): Effect.Effect<Keyring, Failed> =>
  Effect.gen(function* () {
    const entropy = yield* Entropy
    const fresh = newKeyring("k1", entropy.bytes)
    const text =
      configuration.database.kind === "embedded"
        ? yield* Effect.tryPromise({
            try: () => readOrCreateKeyring(configuration.values.GATEWARDEN_DATA_DIR, fresh),
            catch: directoryFailure(configuration.values.GATEWARDEN_DATA_DIR)
          })
        : Redacted.value(fresh)
    if (text === undefined)
      return yield* failed(
        "keyring",
        `${keyringFile(configuration.values.GATEWARDEN_DATA_DIR)} is missing, and the database beside it is encrypted with it: ` +
          "restore the file, or set GATEWARDEN_KEYRING"
      )
    const parsed = parseKeyring(text)
    if ("keyring" in parsed) return parsed.keyring
    return yield* failed(
      "keyring",
      `${keyringFile(configuration.values.GATEWARDEN_DATA_DIR)} is not usable: ${parsed.problem}`
    )
  })

export const keyringFile = (directory: string): string => join(directory, "keyring")

/** Undefined when there is no file, but a database that was encrypted with what it held. */
const readOrCreateKeyring = async (
  directory: string,
  fresh: Redacted.Redacted<string>
): Promise<string | undefined> => {
  const path = keyringFile(directory)
  try {
    return (await readFile(path, "utf8")).trim()
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
  }
  if (hasDatabase(directory)) return undefined
  await createPrivateFile(path, `${Redacted.value(fresh)}\n`)
  return Redacted.value(fresh)
}

export const directoryFailure =
  (directory: string) =>
  (cause: unknown): Failed => {
    if (cause instanceof DirectoryInUse) return failed("busy", cause.message)
    if (isFull(cause))
      return failed("disk_full", `The disk of the data directory ${directory} is full: make room, and start again`)
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
    return failed(
      "directory",
      `The data directory ${directory} cannot be made or written${code}: ` +
        "set GATEWARDEN_DATA_DIR to a directory that this user can write"
    )
  }

/** What a store that does not start means. Messages of the database are shown to the operator only, never in a response. */
const startFailure = (error: MigrateError | RowLevelSecurityMissing): Failed => {
  switch (error._tag) {
    case "SqlError":
      return sqlFailure(error)
    case "MigrationLockTimeout":
    case "MigrationBlocked":
      return failed("busy", error.message)
    case "MigrationChanged":
    case "MigrationSkipped":
    case "DatabaseAhead":
    case "FormerDatabase":
    case "RowLevelSecurityMissing":
      // No start of this version on this database will ever do: one of them has to be changed.
      return failed("schema", error.message)
    case "MigrationFailed":
    case "FunctionFailed":
      return isOfDatabase(error.cause) ? sqlFailure(error.cause) : failed("failure", error.message)
  }
}

/** The database as a whole is at fault, and not the statement: it would refuse any other, too. */
export const isOfDatabase = ({ reason }: SqlError.SqlError): boolean => {
  const { cause } = reason
  return (
    reason._tag === "ConnectionError" ||
    reason._tag === "AuthenticationError" ||
    cause instanceof DirectoryInUse ||
    isFull(cause) ||
    (cause instanceof Error && "code" in cause && cause.code === takesNoWrites)
  )
}

/** read_only_sql_transaction */
const takesNoWrites = "25006"

export const sqlFailure = (error: SqlError.SqlError): Failed => {
  const cause: unknown = error.reason.cause
  if (cause instanceof DirectoryInUse) return failed("busy", cause.message)
  if (isFull(cause)) return failed("disk_full", "The disk of the database is full: make room, and start again")
  // Waiting gives no rights.
  if (error.reason._tag === "AuthorizationError")
    return failed("failure", `The database refused: ${describeSqlError(error)}`)
  return failed("unavailable", `The database does not answer: ${describeSqlError(error)}`)
}

/** Whoever starts an instance is told what its store died of, as the database said it. */
export const orStoreFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failed, R> =>
  Effect.catchDefect(effect, (defect) => {
    const error = defect instanceof StoreUnavailable || defect instanceof OutcomeUnknown ? defect.cause : defect
    if (SqlError.isSqlError(error)) return Effect.fail(sqlFailure(error))
    return error === defect
      ? Effect.die(defect)
      : Effect.fail(failed("unavailable", "The database has stopped answering"))
  })

/** Runs SQL that is outside the ports, with the same meaning of a failure. */
export const orStartFailure = <A, E extends MigrateError | RowLevelSecurityMissing, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Failed, R> => Effect.mapError(effect, startFailure)
