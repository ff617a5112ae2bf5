/** `gatewarden keys …`. A key itself is shown once, when it is made. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { callStore } from "./callStore.ts"
import { columns } from "./columns.ts"
import { print, printJson } from "./CommandLine.ts"
import { account, json } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"
import { writingSecret } from "./writingSecret.ts"

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

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys."),
  Command.withSubcommands([keysCreate, keysList])
)
