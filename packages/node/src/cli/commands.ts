/**
 * The command line: `gatewarden serve | demo | migrate | accounts | audit | credits | keys | keyring | move | backup | restore | catalog | usage |
 * invoices | destinations | deliveries | dead-letters | replay | openapi | config | doctor`.
 *
 * Results go to stdout, everything else to stderr. `--json` prints results for scripts. A secret is printed once.
 */
import { openApiDocument } from "@gatewarden/contract"
import {
  migrate as applyMigrations,
  type MigrateResult,
  migrations,
  migrationStatus,
  schema
} from "@gatewarden/postgres/internal"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { callServer } from "../control/callServer.ts"
import { callStore } from "../control/callStore.ts"
import { type OutputOf, storeCommands } from "../control/storeCommands.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { configurationJson, configurationTable } from "../config/printConfiguration.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { isUnmade, migrateUsage, openSql, openToMigrate, orStartFailure } from "../store/openStore.ts"
import { columns } from "./columns.ts"
import { CommandLine, configured, print, printJson } from "../control/CommandLine.ts"
import { json } from "./flags.ts"
import { catalog } from "./catalogCommand.ts"
import { credits } from "./creditCommands.ts"
import { keys } from "./keyCommands.ts"
import { invoices } from "./invoiceCommand.ts"
import { usage } from "./usageCommands.ts"
import { demo } from "./demoCommand.ts"
import { deadLetters, deliveries, destinations, replay } from "./destinationCommands.ts"
import { doctor } from "./doctorCommand.ts"
import { audit } from "./auditCommands.ts"
import { keyring } from "./keyringCommands.ts"
import { backup, move, restore } from "./backupCommands.ts"
import { serveConfigured } from "./serveConfigured.ts"
import { withConfiguration } from "./withConfiguration.ts"

const port = Flag.Int("port").pipe(
  Flag.withDescription("Port to listen on; 0 picks a free one. Default: the variable PORT."),
  Flag.filter(
    (port) => port >= 0 && port <= 65_535,
    () => "Expected an integer from 0 to 65535"
  ),
  Flag.optional
)

const sample = Flag.Boolean("sample").pipe(
  Flag.withDescription("Put the sample catalog into a new embedded store; --no-sample leaves it empty."),
  Flag.withDefault(true)
)

const serve = Command.make("serve", { port, sample }, ({ port, sample }) =>
  serveConfigured().pipe(
    Effect.updateService(CommandLine, (io) => ({
      ...io,
      environment: {
        ...io.environment,
        ...(Option.isNone(port) ? {} : { PORT: String(port.value) }),
        ...(sample ? {} : { GATEWARDEN_SAMPLE_CATALOG: "0" })
      }
    }))
  )
).pipe(
  Command.withDescription("Run the server until it is told to stop (SIGTERM, SIGINT)."),
  Command.withExamples([
    { command: "gatewarden serve", description: "On port 8787, with an embedded database in ./.gatewarden" },
    { command: "gatewarden serve --port 9000", description: "On another port" },
    { command: "gatewarden serve --no-sample", description: "With an empty catalog" },
    { command: "DATABASE_URL=postgres://… GATEWARDEN_KEYRING=… gatewarden serve", description: "On PostgreSQL" },
    { command: "DATABASE_URL=memory: gatewarden serve --port 0", description: "For a test: forgets everything" }
  ])
)

type Statuses = OutputOf<"listMigrations">["migrations"]

/** The migrations and functions that this call applied; none if a server runs, which applied them when it started. */
const migrateStore = Effect.fnUntraced(function* (configuration: Configuration) {
  const nothing: MigrateResult = { migrations: [], functions: [] }
  yield* migrateUsage(configuration)
  if (yield* serverStatuses(configuration)) return nothing
  const sql = yield* Effect.provide(openToMigrate(configuration), layerPlatform)
  if (sql === undefined) return nothing
  return yield* orStartFailure(Effect.provideContext(applyMigrations(schema, { restoreFunctions: true }), sql))
}, Effect.scoped)

const readStatuses = Effect.fnUntraced(function* (configuration: Configuration) {
  const answered = yield* serverStatuses(configuration)
  if (answered !== undefined) return answered
  if (isUnmade(configuration))
    return migrations.map(({ id, name }) => ({ id, name, state: "pending", applied_at: null }) as const)
  const sql = yield* openSql(configuration)
  return sql === undefined ? [] : yield* orStartFailure(Effect.provideContext(migrationStatus(schema), sql))
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
      Flag.withDescription("Print which migrations are applied; change nothing."),
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
        const { migrations: applied, functions } = yield* migrateStore(configuration)
        if (json) return yield* printJson({ applied: applied.map(({ id, name }) => ({ id, name })), functions })
        if (applied.length + functions.length === 0) return yield* print("Nothing to apply")
        if (applied.length > 0) yield* print(columns(applied.map(({ id, name }) => [String(id), name, "applied"])))
        if (functions.length > 0) yield* print(`Functions applied: ${functions.join(", ")}`)
      })
    )
).pipe(
  Command.withDescription("Bring the database's schema up to date."),
  Command.withExamples([
    { command: "gatewarden migrate --status", description: "List what is applied and what is pending" },
    { command: "gatewarden migrate", description: "Apply what is missing" }
  ])
)

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
).pipe(
  Command.withDescription(
    "Create an account with a default workspace, and print its management key, which is not shown again."
  ),
  Command.withExamples([{ command: "gatewarden accounts create acme", description: "Create the account acme" }])
)

const accountsList = Command.make("list", { json }, ({ json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const { accounts } = yield* callStore(configuration, "listAccounts", {})
      if (json) return yield* printJson({ accounts })
      yield* print(
        columns([
          ["ID", "NAME", "CREATED", "SUSPENDED"],
          ...accounts.map(({ id, name, created_at, suspended_at }) => [id, name, created_at, suspended_at ?? ""])
        ])
      )
    })
  )
).pipe(
  Command.withDescription("List the accounts of this installation, oldest first."),
  Command.withExamples([{ command: "gatewarden accounts list --json", description: "Print JSON, for a script" }])
)

const accountsSuspend = Command.make(
  "suspend",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the account.")), json },
  ({ name, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const account = yield* callStore(configuration, "suspendAccount", { name })
        if (json) return yield* printJson(account)
        yield* print(
          `Suspended ${account.name} since ${account.suspended_at}: every key of it is refused until you resume it`
        )
      })
    )
).pipe(
  Command.withDescription(
    "Suspend an account: every key of it is refused, at data planes too, until the account is resumed. Deletes nothing."
  ),
  Command.withExamples([{ command: "gatewarden accounts suspend acme", description: "Suspend acme" }])
)

const accountsResume = Command.make(
  "resume",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the account.")), json },
  ({ name, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const account = yield* callStore(configuration, "resumeAccount", { name })
        if (json) return yield* printJson(account)
        yield* print(`Resumed ${account.name}: its keys are accepted again`)
      })
    )
).pipe(
  Command.withDescription("Resume a suspended account: its keys are accepted again."),
  Command.withExamples([{ command: "gatewarden accounts resume acme", description: "Resume acme" }])
)

const openapi = Command.make("openapi", {}, () => printJson(openApiDocument())).pipe(
  Command.withDescription("Print the OpenAPI document of the API."),
  Command.withExamples([{ command: "gatewarden openapi > openapi.json", description: "Write it to a file" }])
)

const configPrint = Command.make("print", { json }, ({ json }) =>
  Effect.flatMap(configured, (configuration) =>
    print(json ? configurationJson(configuration) : configurationTable(configuration))
  )
).pipe(
  Command.withDescription("Print every variable with its value and its source. Secrets are hidden."),
  Command.withExamples([
    { command: "gatewarden config print", description: "Print a table" },
    { command: "PORT=9000 gatewarden config print --json", description: "Print JSON, for a script" }
  ])
)

export const gatewarden = Command.make("gatewarden").pipe(
  Command.withDescription("The control plane of a model gateway."),
  Command.withExamples([
    { command: "gatewarden serve", description: "Run the server" },
    { command: "gatewarden keys create --name app --limit 10 --reset monthly", description: "Create a key for an app" },
    { command: "gatewarden help keys create", description: "The same as gatewarden keys create --help" },
    { command: "gatewarden doctor", description: "Check the installation, and print how to fix what is wrong" }
  ]),
  Command.withSubcommands([
    serve,
    demo,
    migrate,
    Command.make("accounts").pipe(
      Command.withDescription("Accounts of this installation."),
      Command.withExamples([
        { command: "gatewarden accounts create acme", description: "Create the account acme, with a management key" },
        { command: "gatewarden accounts list", description: "List the accounts" },
        { command: "gatewarden accounts suspend acme", description: "Suspend acme: refuse every key of it" }
      ]),
      Command.withSubcommands([accountsCreate, accountsList, accountsSuspend, accountsResume])
    ),
    audit,
    credits,
    keys,
    keyring,
    doctor,
    move,
    backup,
    restore,
    catalog,
    usage,
    invoices,
    destinations,
    deliveries,
    deadLetters,
    replay,
    openapi,
    Command.make("config").pipe(
      Command.withDescription("The configuration, from environment variables."),
      Command.withExamples([
        { command: "gatewarden config print", description: "Print every variable, its value and its source" }
      ]),
      Command.withSubcommands([configPrint])
    )
  ])
)
