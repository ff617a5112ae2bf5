/**
 * The command line: `gatewarden serve | demo | migrate | accounts | keys | keyring | move | backup | restore | catalog | usage | openapi | config | doctor`.
 *
 * Results go to stdout, everything else to stderr. `--json` prints what a script would read; secrets are printed once.
 */
import { openApiDocument } from "@gatewarden/contract"
import { migrate as applyMigrations, type Migration, migrations, migrationStatus } from "@gatewarden/postgres/effect"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { callServer } from "../command/callServer.ts"
import { callStore } from "./callStore.ts"
import { readCatalog } from "../command/readCatalog.ts"
import { type OutputOf, storeCommands } from "../command/storeCommands.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { configurationJson, configurationTable } from "../config/printConfiguration.ts"
import { serve as serveConfiguration } from "../server/serve.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { isUnmade, openSql, openToMigrate, orStartFailure } from "../store/openStore.ts"
import { columns } from "./columns.ts"
import { CommandLine, configured, print, printJson } from "./CommandLine.ts"
import { json } from "./flags.ts"
import { keys } from "./keyCommands.ts"
import { usage } from "./usageCommands.ts"
import { demo } from "./demoCommand.ts"
import { doctor } from "./doctorCommand.ts"
import { keyring } from "./keyringCommands.ts"
import { backup, move, restore } from "./safekeepingCommands.ts"
import { withConfiguration } from "./withConfiguration.ts"

/** How long closing the store may take once requests are done. */
const closeMillis = 15_000

const serve = Command.make("serve", {}, () =>
  withConfiguration(
    Effect.fnUntraced(function* (configuration) {
      const { stopped, stdout, stderr, exitWithin } = yield* CommandLine
      // Whatever cannot be interrupted, such as a change that the database does not confirm, must not keep the process for ever.
      const stop = Effect.tap(
        stopped,
        Effect.sync(() => {
          const { GATEWARDEN_DRAIN_DELAY_MS, GATEWARDEN_DRAIN_TIMEOUT_MS } = configuration.values
          exitWithin(GATEWARDEN_DRAIN_DELAY_MS + GATEWARDEN_DRAIN_TIMEOUT_MS + closeMillis)
        })
      )
      yield* serveConfiguration({ configuration, stopped: stop, stdout, stderr })
    })
  )
).pipe(Command.withDescription("Run the server until it is told to stop (SIGTERM, SIGINT)."))

type Statuses = OutputOf<"listMigrations">["migrations"]

/** The migrations that were applied now. A running server applied all of its own when it started. */
const migrateStore = Effect.fnUntraced(function* (configuration: Configuration) {
  if (yield* serverStatuses(configuration)) return [] as readonly Migration[]
  const sql = yield* Effect.provide(openToMigrate(configuration), layerPlatform)
  return sql === undefined ? [] : yield* orStartFailure(Effect.provideContext(applyMigrations(migrations), sql))
}, Effect.scoped)

const readStatuses = Effect.fnUntraced(function* (configuration: Configuration) {
  const answered = yield* serverStatuses(configuration)
  if (answered !== undefined) return answered
  if (isUnmade(configuration))
    return migrations.map(({ id, name }) => ({ id, name, state: "pending", applied_at: null }) as const)
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
    demo,
    migrate,
    Command.make("accounts").pipe(
      Command.withDescription("Accounts of this installation."),
      Command.withSubcommands([accountsCreate])
    ),
    keys,
    keyring,
    doctor,
    move,
    backup,
    restore,
    Command.make("catalog").pipe(
      Command.withDescription("Models and endpoints."),
      Command.withSubcommands([catalogImport])
    ),
    usage,
    openapi,
    Command.make("config").pipe(
      Command.withDescription("The configuration, from environment variables."),
      Command.withSubcommands([configPrint])
    )
  ])
)
