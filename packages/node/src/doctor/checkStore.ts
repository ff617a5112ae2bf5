/** The store of a configuration: whether it answers and fits this version, and whether the keyring decrypts its secrets. Changes nothing in it. */
import {
  BackgroundJobs,
  DeliveryQueue,
  checkSecrets,
  type DeliveryHealth,
  deliveryHealth,
  deliveryProblem,
  type JobHealth,
  jobHealth,
  jobProblem,
  type Keyring,
  layerVault,
  parseKeyring
} from "@gatewarden/core/internal"
import {
  type FunctionStatus,
  functionStatus,
  layerBackgroundJobs,
  layerDeliveryQueue,
  layerPostgres,
  layerSealedSecrets,
  type MigrationStatus,
  migrationStatus,
  rowLevelSecurityState,
  schema
} from "@gatewarden/postgres/internal"
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { hasManagementKey, isBeforeFirstStart } from "../control/keyStoreCommands.ts"
import { callServer } from "../control/callServer.ts"
import { type OutputOf, storeCommands } from "../control/storeCommands.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { Failed } from "../failure/Failed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { keyringFile, openSql } from "../store/openStore.ts"
import { failure, fine, type Finding, warning } from "./Finding.ts"
import { judgeRowLevelSecurity } from "./judgeRowLevelSecurity.ts"
import { judgeServer } from "./judgeServer.ts"
import { judgeWaitingUsage, waitingUsage } from "./checkUsageStore.ts"

/** Enough to know, without reading a large store to its end. */
const secretsLooked = 1_000

const codeOf = (error: SqlError.SqlError): string => {
  const cause: unknown = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
}

const unreachable = (error: SqlError.SqlError): Finding => {
  const code = codeOf(error)
  if (error.reason._tag === "AuthenticationError" || code.startsWith("28"))
    return failure(
      "database",
      "The database refuses user or password",
      'correct user and password in DATABASE_URL: psql "$DATABASE_URL"',
      "unavailable"
    )
  if (code === "3D000")
    return failure(
      "database",
      "The server has no such database",
      "createdb with the name that DATABASE_URL ends in, or correct it",
      "unavailable"
    )
  const cause: unknown = error.reason.cause
  const detail = (cause instanceof Error && cause.message !== "" ? cause.message : error.message).split("\n")[0] ?? ""
  return failure(
    "database",
    `The database does not answer: ${detail}`,
    'start it, or correct DATABASE_URL: pg_isready -d "$DATABASE_URL"',
    "unavailable"
  )
}

export const judgeMigrations = (statuses: readonly Pick<MigrationStatus, "id" | "name" | "state">[]): Finding => {
  const of = (state: MigrationStatus["state"]) =>
    statuses.filter((status) => status.state === state).map(({ id, name }) => `${id} (${name})`)
  if (of("changed").length > 0)
    return failure(
      "schema",
      `Migrations were applied with another text: ${of("changed").join(", ")}`,
      "run the version that the database was migrated with",
      "schema"
    )
  if (of("unknown").length > 0)
    return failure(
      "schema",
      `A newer version has migrated the database: ${of("unknown").join(", ")}`,
      "run a version at least as new: npm install @gatewarden/node@latest",
      "schema"
    )
  if (of("skipped").length > 0)
    return failure(
      "schema",
      `Migrations are missing below others: ${of("skipped").join(", ")}`,
      "restore the database from a backup: gatewarden restore DIRECTORY",
      "schema"
    )
  return of("pending").length > 0
    ? warning(
        "schema",
        `${of("pending").length} migrations are pending; the next start applies them`,
        "gatewarden migrate"
      )
    : fine("schema", `${statuses.length} migrations applied`)
}

/** Of a schema whose migrations are all applied. */
export const judgeFunctions = (statuses: readonly FunctionStatus[]): Finding => {
  const of = (state: FunctionStatus["state"]) =>
    statuses.filter((status) => status.state === state).map(({ name }) => name)
  if (of("edited").length > 0)
    return failure(
      "functions",
      `Functions of the database were changed by hand: ${of("edited").join(", ")}`,
      "gatewarden migrate, which applies them again"
    )
  return of("pending").length + of("undeclared").length > 0
    ? warning(
        "functions",
        `${of("pending").length} functions are pending and ${of("undeclared").length} are obsolete; the next start applies and drops them`,
        "gatewarden migrate"
      )
    : fine("functions", `${statuses.length} functions as they were applied`)
}

const judgeSecrets = ({ opened, unreadable, foreign_key_ids }: OutputOf<"checkSecrets">): Finding =>
  unreadable === 0
    ? fine("secrets", `the keyring decrypts ${opened} of ${opened} secrets that were tried`)
    : failure(
        "secrets",
        `${unreadable} of ${opened + unreadable} stored secrets cannot be decrypted with this keyring; they were encrypted with ${foreign_key_ids.join(", ")}`,
        `add the keys ${foreign_key_ids.join(", ")} of that time to the end of the keyring, then: gatewarden keyring rotate`,
        "keyring"
      )

const judgeManagementKey = (found: boolean): Finding =>
  found
    ? fine("management key", "an active one exists")
    : failure(
        "management key",
        "No active management key is left",
        "gatewarden keys create --management --name recovered"
      )

const judgeBackground = (jobs: readonly JobHealth[]): Finding => {
  const problems = jobs.flatMap((job) => jobProblem(job) ?? [])
  if (jobs.length === 0) return fine("background work", "no job has run yet; the first server starts it")
  return problems.length === 0
    ? fine("background work", `${jobs.length} jobs run on time`)
    : warning(
        "background work",
        problems.join("; "),
        'start a server with GATEWARDEN_BACKGROUND=1, and look for "background" in its log'
      )
}

export const judgeDeliveries = (health: DeliveryHealth): Finding => {
  const problem = deliveryProblem(health)
  return problem === undefined
    ? fine("deliveries", `${health.waiting_events} events wait for their destinations`)
    : warning(
        "deliveries",
        problem,
        "gatewarden destinations --account NAME, and gatewarden deliveries ID, tell what a platform answers; without failures, start a server with GATEWARDEN_BACKGROUND=1"
      )
}

const deliveries = Effect.map(
  Effect.flatMap(DeliveryQueue, ({ backlog }) => backlog),
  (backlog) => judgeDeliveries(deliveryHealth(backlog))
).pipe(Effect.provide(layerDeliveryQueue))

const background = Effect.map(
  Effect.flatMap(BackgroundJobs, ({ states }) => states),
  ({ now, jobs }) => judgeBackground(jobHealth(now, jobs))
).pipe(Effect.provide(layerBackgroundJobs))

const serverFacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select 1`
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      (extract(epoch from clock_timestamp()) * 1000)::text as now,
      current_setting('transaction_read_only') = 'on' as read_only,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as taken`
  const middle = (before + (yield* Clock.currentTimeMillis)) / 2
  return {
    version: Number(row?.["version"]),
    encoding: String(row?.["encoding"]),
    readOnly: row?.["read_only"] === true,
    creates: row?.["creates"] === true,
    skewMillis: Number(row?.["now"]) - middle,
    connections: Number(row?.["connections"]),
    taken: Number(row?.["taken"])
  }
})

/** The schema, and what can be looked at only where it is whole. */
const contents = (keyring: Keyring | undefined, isSent: boolean) =>
  Effect.gen(function* () {
    const statuses = yield* migrationStatus(schema)
    const findings: Finding[] = [judgeMigrations(statuses)]
    if (!statuses.every(({ state }) => state === "applied")) return findings
    findings.push(judgeFunctions(yield* functionStatus(schema)))
    findings.push(
      (yield* isBeforeFirstStart)
        ? fine("management key", "there is none yet; the first start creates it")
        : judgeManagementKey(yield* hasManagementKey)
    )
    findings.push(yield* background)
    findings.push(yield* deliveries)
    findings.push(...judgeWaitingUsage(yield* waitingUsage, isSent))
    if (keyring === undefined) return findings
    const vault = Layer.merge(layerVault(keyring), layerSealedSecrets)
    return [...findings, judgeSecrets(yield* Effect.provide(checkSecrets(secretsLooked), vault))]
  })

/** Whoever migrates makes tables where the search path begins. */
const mayNotCreate = failure(
  "privileges",
  "The user of DATABASE_URL may not create tables in any schema of its search path, and migrations are pending",
  "grant create on schema public to that user, or migrate as the owner: gatewarden migrate"
)

const checkPostgres = Effect.fnUntraced(function* (configuration: Configuration) {
  const { database, values } = configuration
  if (database.kind !== "postgres") return []
  return yield* Effect.gen(function* () {
    const facts = yield* serverFacts
    const found = yield* contents(values.GATEWARDEN_KEYRING, values.GATEWARDEN_CLICKHOUSE_URL !== undefined)
    const state = found.some(({ check }) => check === "functions") ? yield* rowLevelSecurityState : undefined
    const isRelied = values.GATEWARDEN_ROW_LEVEL_SECURITY === "on"
    const isBehind = found.some(({ check, state }) => check === "schema" && state === "warn")
    return [
      fine("database", "it answers"),
      ...judgeServer(facts),
      ...(isBehind && !facts.creates ? [mayNotCreate] : []),
      ...found,
      ...(state === undefined ? [] : [judgeRowLevelSecurity(state, isRelied)])
    ]
  }).pipe(
    Effect.provide(layerPostgres({ url: database.url })),
    Effect.timeoutOption("20 seconds"),
    Effect.map(
      Option.getOrElse((): readonly Finding[] => [
        failure(
          "database",
          "The database does not answer within 20 seconds",
          'pg_isready -d "$DATABASE_URL"',
          "unavailable"
        )
      ])
    ),
    Effect.catchTag("SqlError", (error) => Effect.succeed([unreachable(error)]))
  )
})

/** The keyring beside an embedded store, and what is wrong with it. */
const keptKeyring = Effect.fnUntraced(function* (path: string, isNeeded: boolean) {
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => undefined))
  if (text === undefined)
    return isNeeded
      ? failure(
          "keyring",
          `${path} is missing, and the database beside it is encrypted with it`,
          `restore ${path} from a backup, or set GATEWARDEN_KEYRING`,
          "keyring"
        )
      : undefined
  const parsed = parseKeyring(text.trim())
  return "keyring" in parsed
    ? parsed.keyring
    : failure("keyring", `${path} is not usable: ${parsed.problem}`, `restore ${path} from a backup`, "keyring")
})

const isFinding = (value: Keyring | Finding): value is Finding => "check" in value

const checkEmbedded = Effect.fnUntraced(function* (configuration: Configuration, databaseDirectory: string) {
  const directory = configuration.values.GATEWARDEN_DATA_DIR
  const served = yield* callServer(directory, "listMigrations", {})
  if (served !== undefined) {
    const { migrations: statuses, functions } = storeCommands.listMigrations.output.parse(served.value)
    const key = yield* callServer(directory, "findManagementKey", {})
    const jobs = yield* callServer(directory, "listBackgroundJobs", {})
    const waiting = yield* callServer(directory, "describeDeliveries", {})
    const secrets = yield* callServer(directory, "checkSecrets", { limit: secretsLooked })
    return [
      judgeMigrations(statuses),
      judgeFunctions(functions),
      ...(key === undefined ? [] : [judgeManagementKey(storeCommands.findManagementKey.output.parse(key.value).found)]),
      ...(jobs === undefined ? [] : [judgeBackground(storeCommands.listBackgroundJobs.output.parse(jobs.value).jobs)]),
      ...(waiting === undefined ? [] : [judgeDeliveries(storeCommands.describeDeliveries.output.parse(waiting.value))]),
      ...(secrets === undefined ? [] : [judgeSecrets(storeCommands.checkSecrets.output.parse(secrets.value))])
    ]
  }
  if (!existsSync(databaseDirectory)) return [fine("database", "there is none yet; the first start creates it")]
  const keyring = configuration.values.GATEWARDEN_KEYRING ?? (yield* keptKeyring(keyringFile(directory), true))
  if (keyring !== undefined && isFinding(keyring)) return [keyring]
  const sql = yield* openSql(configuration)
  const isSent = configuration.values.GATEWARDEN_CLICKHOUSE_URL !== undefined
  return sql === undefined ? [] : yield* Effect.provideContext(contents(keyring, isSent), sql)
})

/** Never fails: what cannot be looked at is a finding. */
export const checkStore = (
  configuration: Configuration,
  databaseDirectory: string
): Effect.Effect<readonly Finding[]> => {
  const { database } = configuration
  if (database.kind === "memory")
    return Effect.succeed([
      warning("database", "memory: forgets everything when the server ends", "unset DATABASE_URL")
    ])
  const check: Effect.Effect<readonly Finding[], unknown> =
    database.kind === "postgres"
      ? checkPostgres(configuration)
      : Effect.scoped(checkEmbedded(configuration, databaseDirectory)).pipe(Effect.provide(layerPlatform))
  return Effect.catch(check, (error) => {
    const found = failure(
      "database",
      error instanceof Error ? error.message : "It cannot be opened",
      "gatewarden serve, and read what it says"
    )
    return Effect.succeed([error instanceof Failed ? { ...found, exit_code: error.exitCode } : found])
  })
}
