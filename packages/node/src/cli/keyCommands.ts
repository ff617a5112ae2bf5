/** `gatewarden keys …`. A key is shown once, when it is created. */
import { ResetInterval, usd } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readDuration } from "../config/readDuration.ts"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { type Failed, failed } from "../failure/Failed.ts"
import { columns } from "./columns.ts"
import { account, json, textOr } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"
import { writingSecret } from "./writingSecret.ts"

const outputFile = Flag.String("output-file").pipe(
  Flag.withDescription("Write the key to this new file, readable by its owner only, instead of printing it."),
  Flag.optional
)

/** Creates a key and prints it, or the name of the file that it was written to. */
const revealing = Effect.fnUntraced(function* <A, R>(
  file: Option.Option<string>,
  make: Effect.Effect<A, Failed, R>,
  keyOf: (made: A) => string
) {
  if (Option.isNone(file)) {
    const made = yield* make
    return { made, place: { key: keyOf(made) } }
  }
  return { made: yield* writingSecret(file.value, make, keyOf), place: { key_file: file.value } }
})

const placeRows = (place: Readonly<Record<string, string>>) =>
  Object.entries(place).map(([label, value]) => [label.replace("_", " "), value] as const)

/** The limit of a new key. A reset without a limit, or a limit of a management key, would have no effect. */
const readLimit = Effect.fnUntraced(function* ({
  limit,
  reset,
  spends
}: {
  readonly limit: Option.Option<string>
  readonly reset: Option.Option<ResetInterval>
  readonly spends: boolean
}) {
  if (Option.isNone(limit)) {
    if (Option.isSome(reset)) return yield* failed("usage", "--reset needs --limit")
    return {}
  }
  if (!spends)
    return yield* failed("usage", "--limit is for keys that spend; a management or gateway key spends nothing")
  if (!/^\d{1,10}(?:\.\d{1,9})?$/.test(limit.value) || !usd.safeParse(Number(limit.value)).success)
    return yield* failed("usage", "--limit: expected an amount of USD from 0 to 1000000000, such as 10 or 0.50")
  return { limit: Number(limit.value), limit_reset: Option.getOrNull(reset) }
})

const keysCreate = Command.make(
  "create",
  {
    account,
    workspace: textOr("workspace", "Id or slug of the workspace that an API key belongs to.", "default"),
    name: textOr("name", "Name of the key.", "key"),
    management: Flag.Boolean("management").pipe(
      Flag.withDescription("Create a management key, which belongs to no workspace."),
      Flag.withDefault(false)
    ),
    limit: Flag.String("limit").pipe(
      Flag.withDescription("Spending limit of an API key in USD, such as 10 or 0.50. Default: no limit."),
      Flag.optional
    ),
    reset: Flag.Literals("reset", ResetInterval.options).pipe(
      Flag.withDescription("Interval after which spending starts again at zero. Default: the limit never resets."),
      Flag.optional
    ),
    gateway: Flag.Boolean("gateway").pipe(
      Flag.withDescription(
        "Create a gateway key, for a data plane that serves all accounts. It admits requests and reports usage for the keys of any account, and may write the catalog."
      ),
      Flag.withDefault(false)
    ),
    outputFile,
    json
  },
  ({ account, workspace, name, management, gateway, limit, reset, outputFile, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const spending = yield* readLimit({ limit, reset, spends: !management && !gateway })
        const create = callStore(configuration, "createKey", {
          account,
          workspace,
          name,
          management,
          gateway,
          ...spending
        })
        const { made, place } = yield* revealing(outputFile, create, ({ key }) => key)
        const { key: _, ...record } = made
        if (json) return yield* printJson({ ...record, ...place })
        yield* print(columns([["name", record.name], ["hash", record.hash], ...placeRows(place)]))
      })
    )
).pipe(
  Command.withDescription("Create an API key, a management key or a gateway key, and print it. It is not shown again."),
  Command.withExamples([
    {
      command: "gatewarden keys create --name app",
      description: "Create an API key in the default workspace"
    },
    {
      command: "gatewarden keys create --name app --limit 10 --reset monthly",
      description: "Limit its spending to $10 a month"
    },
    {
      command: "gatewarden keys create --management --name ci --output-file ci.key",
      description: "Write a management key to a file"
    },
    {
      command: "gatewarden keys create --gateway --name data-plane",
      description: "Create a key for a data plane of all accounts"
    }
  ])
)

const keysList = Command.make("list", { account, json }, ({ account, json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const { keys } = yield* callStore(configuration, "listKeys", { account })
      if (json) return yield* printJson({ keys })
      const header = ["HASH", "LABEL", "KIND", "STATE", "CREATED", "EXPIRES", "NAME"]
      yield* print(
        columns([
          header,
          ...keys.map((key) => [
            key.hash,
            key.label,
            key.kind,
            key.state,
            key.created_at,
            key.expires_at ?? "never",
            key.name
          ])
        ])
      )
    })
  )
).pipe(
  Command.withDescription(
    "List the keys of an account, of every kind: hashes, names, states. The keys themselves are not stored."
  ),
  Command.withExamples([
    { command: "gatewarden keys list --account acme", description: "List the keys of the account acme" }
  ])
)

const hash = Argument.String("hash").pipe(
  Argument.withDescription("Hash of the key as `keys list` prints it, or at least 6 characters of its beginning.")
)

const keysRotate = Command.make(
  "rotate",
  {
    hash,
    account,
    overlap: textOr("overlap", "How long the old key stays valid, such as 90s, 30m or 7d; 0 ends it at once.", "24h"),
    outputFile,
    json
  },
  ({ hash, account, overlap, outputFile, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const overlap_ms = readDuration(overlap)
        if (overlap_ms === undefined)
          return yield* failed("usage", "--overlap: expected a duration such as 90s, 30m, 24h or 7d, or 0")
        const rotate = callStore(configuration, "rotateKey", { account, hash, overlap_ms })
        const { made, place } = yield* revealing(outputFile, rotate, (rotated) => rotated.new.key)
        const { key: _, ...record } = made.new
        const { old, overlap_ends_at } = made
        if (json) return yield* printJson({ old, new: { ...record, ...place }, overlap_ends_at })
        yield* print(
          columns([
            ["name", record.name],
            ["hash", record.hash],
            ...placeRows(place),
            ...(old.hash === record.hash ? [] : [["old hash", old.hash]]),
            ["old key ends", overlap_ends_at]
          ])
        )
      })
    )
).pipe(
  Command.withDescription(
    "Give an API key a new secret, or replace a management or gateway key, and print it. It is not shown again. The hash, usage, limits and assignments of an API key stay."
  ),
  Command.withExamples([
    { command: "gatewarden keys rotate 5ad48d81 --overlap 24h", description: "Let the old key work for another day" }
  ])
)

/** The last management key needs `--force`. Rule: access#restricted-keys. */
const keysRevoke = Command.make(
  "revoke",
  {
    hash,
    account,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Revoke even the last management key of the account."),
      Flag.withDefault(false)
    ),
    json
  },
  ({ hash, account, force, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const key = yield* callStore(configuration, "revokeKey", { account, hash, force })
        if (json) return yield* printJson(key)
        yield* print(
          columns([
            ["name", key.name],
            ["hash", key.hash],
            ["ended", key.expires_at ?? ""]
          ])
        )
      })
    )
).pipe(
  Command.withDescription("Revoke a key of any kind: at once in this process, within two seconds in others."),
  Command.withExamples([
    { command: "gatewarden keys revoke 5ad48d81", description: "Name the key by the beginning of its hash" }
  ])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys, management keys and gateway keys."),
  Command.withExamples([
    { command: "gatewarden keys create --name app --limit 10 --reset monthly", description: "Create a key for an app" }
  ]),
  Command.withSubcommands([keysCreate, keysList, keysRotate, keysRevoke])
)
