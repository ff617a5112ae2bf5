/**
 * The command line: `gatewarden serve | migrate | accounts | keys | catalog | openapi | config`.
 *
 * Results go to stdout, everything else to stderr. `--json` prints what a script would read; secrets are printed once.
 */
import { openApiDocument } from "@gatewarden/contract"
import { migrate as applyMigrations, type Migration, migrations, migrationStatus } from "@gatewarden/postgres/effect"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { callServer } from "../command/callServer.ts"
import { callStore } from "./callStore.ts"
import { readCatalog } from "../command/readCatalog.ts"
import { type OutputOf, storeCommands } from "../command/storeCommands.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { configurationJson, configurationTable } from "../config/printConfiguration.ts"
import { layerLogs } from "../logging/layerLogs.ts"
import { serve as serveConfiguration } from "../server/serve.ts"
import { openSql, orStartFailure } from "../store/openStore.ts"
import { CommandLine, configured, print, printJson } from "./CommandLine.ts"
import { writingSecret } from "./writingSecret.ts"

const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON."), Flag.withDefault(false))

/** Runs with the configuration, its log level included. */
const withConfiguration = <A, E, R>(use: (configuration: Configuration) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(configured, (configuration) =>
    Effect.provide(use(configuration), layerLogs(configuration.values.GATEWARDEN_LOG_LEVEL))
  )

/** Aligned columns, the last one ragged. */
const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ")
    )
    .join("\n")
}

/** How long closing the store may take once requests are done. */
const closeMillis = 15_000

const serve = Command.make("serve", {}, () =>
  withConfiguration(
    Effect.fnUntraced(function* (configuration) {
      const { stopped, stdout, stderr, exitWithin } = yield* CommandLine
      // Whatever cannot be interrupted, such as a change that the database does not confirm, must not keep the process for ever.
      const stop = Effect.tap(
        stopped,
        Effect.sync(() => exitWithin(configuration.values.GATEWARDEN_DRAIN_TIMEOUT_MS + closeMillis))
      )
      yield* serveConfiguration({ configuration, stopped: stop, stdout, stderr })
    })
  )
).pipe(Command.withDescription("Run the server until it is told to stop (SIGTERM, SIGINT)."))

type Statuses = OutputOf<"listMigrations">["migrations"]

/** The migrations that were applied now. A running server applied all of its own when it started. */
const migrateStore = Effect.fnUntraced(function* (configuration: Configuration) {
  if (yield* serverStatuses(configuration)) return [] as readonly Migration[]
  const sql = yield* openSql(configuration)
  return sql === undefined ? [] : yield* orStartFailure(Effect.provideContext(applyMigrations(migrations), sql))
}, Effect.scoped)

const readStatuses = Effect.fnUntraced(function* (configuration: Configuration) {
  const answered = yield* serverStatuses(configuration)
  if (answered !== undefined) return answered
  const sql = yield* openSql(configuration)
  return sql === undefined ? [] : yield* orStartFailure(Effect.provideContext(migrationStatus(migrations), sql))
}, Effect.scoped)

/** Undefined when no server holds the store. */
const serverStatuses = Effect.fnUntraced(function* ({ database, values }: Configuration) {
  if (database.kind !== "embedded") return undefined
  const answer = yield* callServer(values.GATEWARDEN_DATA_DIR, "listMigrations", {})
  return answer && (storeCommands.listMigrations.output.parse(answer.value).migrations satisfies Statuses)
})

const migrate = Command.make(
  "migrate",
  {
    status: Flag.Boolean("status").pipe(
      Flag.withDescription("Show where the database stands; change nothing."),
      Flag.withDefault(false)
    ),
    json
  },
  ({ status, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        if (status) {
          const found = yield* readStatuses(configuration)
          if (json) return yield* printJson({ migrations: found })
          return yield* print(
            found.length === 0
              ? "This store has no migrations"
              : columns(found.map(({ id, name, state, applied_at }) => [String(id), name, state, applied_at ?? ""]))
          )
        }
        const applied = (yield* migrateStore(configuration)).map(({ id, name }) => ({ id, name }))
        if (json) return yield* printJson({ applied })
        yield* print(
          applied.length === 0
            ? "Nothing to apply"
            : columns(applied.map(({ id, name }) => [String(id), name, "applied"]))
        )
      })
    )
).pipe(Command.withDescription("Bring the database's schema up to date."))

const accountsCreate = Command.make(
  "create",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the account.")), json },
  ({ name, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const created = yield* callStore(configuration, "createAccount", { name })
        if (json) return yield* printJson(created)
        yield* print(
          columns([
            ["account", created.name],
            ["id", created.id],
            ["management key", created.management_key]
          ])
        )
      })
    )
).pipe(Command.withDescription("Make an account with a default workspace and print its management key, once."))

const account = Flag.String("account").pipe(Flag.withDescription("Name of the account."), Flag.withDefault("default"))

const keysCreate = Command.make(
  "create",
  {
    account,
    workspace: Flag.String("workspace").pipe(
      Flag.withDescription("Id or slug of the workspace that the key belongs to."),
      Flag.withDefault("default")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key."), Flag.withDefault("key")),
    management: Flag.Boolean("management").pipe(
      Flag.withDescription("Make a management key, which belongs to no workspace."),
      Flag.withDefault(false)
    ),
    outputFile: Flag.String("output-file").pipe(
      Flag.withDescription("Write the key to this new file, readable by its owner only, and do not print it."),
      Flag.optional
    ),
    json
  },
  ({ account, workspace, name, management, outputFile, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const path = Option.getOrUndefined(outputFile)
        const create = callStore(configuration, "createKey", { account, workspace, name, management })
        const { key, ...record } = yield* path === undefined ? create : writingSecret(path, create, ({ key }) => key)
        const place = path === undefined ? { key } : { key_file: path }
        if (json) return yield* printJson({ ...record, ...place })
        yield* print(
          columns([
            ["name", record.name],
            ["hash", record.hash],
            ...Object.entries(place).map(([label, value]) => [label.replace("_", " "), value])
          ])
        )
      })
    )
).pipe(Command.withDescription("Make an API key and print it, once."))

const keysList = Command.make("list", { account, json }, ({ account, json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const { keys } = yield* callStore(configuration, "listKeys", { account })
      if (json) return yield* printJson({ keys })
      const header = ["HASH", "LABEL", "KIND", "CREATED", "NAME"]
      yield* print(
        columns([
          header,
          ...keys.map((key) => [
            key.hash,
            key.label,
            key.disabled ? `${key.kind} (disabled)` : key.kind,
            key.created_at,
            key.name
          ])
        ])
      )
    })
  )
).pipe(Command.withDescription("List the API keys of an account, without the keys themselves."))

const catalogImport = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("Path of a JSON file, as PUT /gateway/catalog takes it.")
    ),
    json
  },
  ({ file, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const { sent } = yield* readCatalog(file)
        const put = yield* callStore(configuration, "putCatalog", sent)
        if (json) return yield* printJson(put)
        yield* print(
          columns([
            ["models", String(put.models)],
            ["endpoints", String(put.endpoints)]
          ])
        )
      })
    )
).pipe(Command.withDescription("Put models and their endpoints into the catalog, all or nothing."))

const openapi = Command.make("openapi", {}, () => printJson(openApiDocument())).pipe(
  Command.withDescription("Print the OpenAPI document of the API.")
)

const configPrint = Command.make("print", { json }, ({ json }) =>
  Effect.flatMap(configured, (configuration) =>
    print(json ? configurationJson(configuration) : configurationTable(configuration))
  )
).pipe(Command.withDescription("Print every setting with its value and where that comes from; secrets are hidden."))

export const gatewarden = Command.make("gatewarden").pipe(
  Command.withDescription("The management plane of a model gateway."),
  Command.withSubcommands([
    serve,
    migrate,
    Command.make("accounts").pipe(
      Command.withDescription("Accounts of this installation."),
      Command.withSubcommands([accountsCreate])
    ),
    Command.make("keys").pipe(Command.withDescription("API keys."), Command.withSubcommands([keysCreate, keysList])),
    Command.make("catalog").pipe(
      Command.withDescription("Models and endpoints."),
      Command.withSubcommands([catalogImport])
    ),
    openapi,
    Command.make("config").pipe(
      Command.withDescription("The configuration, from environment variables."),
      Command.withSubcommands([configPrint])
    )
  ])
)
