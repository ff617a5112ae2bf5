/** `gatewarden move`, `backup` and `restore`: an installation as a whole. */
import { parseKeyring } from "@gatewarden/core/effect"
import { Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type Manifest, keyringCopy } from "../backup/Manifest.ts"
import type { TableSum } from "../backup/TableSum.ts"
import { describeIncomplete } from "../backup/fileContentLines.ts"
import { moveInstallation } from "../backup/moveInstallation.ts"
import { requireOpening, restoreBackup } from "../backup/restoreBackup.ts"
import { printKeyring } from "../config/printKeyring.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { withoutPasswords } from "../config/variables.ts"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { Failed, failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { writePrivateFile } from "../platform/privateFiles.ts"
import { keyringFile } from "../store/openStore.ts"
import { columns } from "./columns.ts"
import { countingRows } from "./countingRows.ts"
import { json } from "./flags.ts"
import { untilStopped } from "./untilStopped.ts"
import { withConfiguration } from "./withConfiguration.ts"

const say = (line: string) => Effect.map(CommandLine, ({ stderr }) => void stderr.write(`gatewarden: ${line}\n`))

const sumRows = (tables: Readonly<Record<string, TableSum>>): string =>
  columns([
    ["TABLE", "ROWS", "SHA-256"],
    ...Object.entries(tables).map(([name, { rows, sha256 }]) => [name, String(rows), sha256])
  ])

/** The keyring in use as text: the one that is configured, else the one that was generated. */
const keyringText = Effect.fnUntraced(function* ({ values }: Configuration) {
  if (values.GATEWARDEN_KEYRING !== undefined) return printKeyring(values.GATEWARDEN_KEYRING)
  const path = keyringFile(values.GATEWARDEN_DATA_DIR)
  return yield* Effect.tryPromise({
    try: async () => Redacted.make((await readFile(path, "utf8")).trim()),
    catch: () => failed("keyring", `${path} cannot be read`)
  })
})

/** Adds a keyring to a backup, after checking that it decrypts the backup. */
const includeKeyring = Effect.fnUntraced(function* (
  directory: string,
  manifest: Manifest,
  text: Redacted.Redacted<string>
) {
  const parsed = parseKeyring(Redacted.value(text))
  if ("problem" in parsed) return yield* failed("keyring", `The keyring is not usable: ${parsed.problem}`)
  yield* requireOpening(manifest, parsed.keyring)
  const path = join(directory, keyringCopy)
  yield* Effect.tryPromise({
    try: () => writePrivateFile(path, `${Redacted.value(text)}\n`),
    catch: (cause) => fileFailure(`${path} cannot be written`, cause)
  })
})

export const move = Command.make(
  "move",
  {
    to: Flag.String("to").pipe(Flag.withDescription("The empty PostgreSQL database to move to: postgres://…")),
    json
  },
  ({ to, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        if (!/^postgres(?:ql)?:\/\//.test(to) || !URL.canParse(to))
          return yield* failed("usage", "--to must be a postgres:// URL; percent-encode special characters in it")
        if (configuration.database.kind !== "embedded")
          return yield* failed("store", "Only an embedded installation can be moved: unset DATABASE_URL")
        const directory = configuration.values.GATEWARDEN_DATA_DIR
        if (!existsSync(directory)) return yield* failed("missing", `There is no installation in ${directory}`)
        const shown = withoutPasswords(to)
        const commandLine = yield* CommandLine
        const moved = yield* moveInstallation({
          configuration,
          to: Redacted.make(to),
          shown,
          counting: (total) => Effect.provideService(countingRows("move", total), CommandLine, commandLine)
        })
        if (json) yield* printJson({ to: shown, ...moved })
        else yield* print(sumRows(moved.tables))
        yield* say(`${moved.secrets} secrets open in their new place; ${directory} is as it was, and marked as moved`)
        const keyring =
          configuration.values.GATEWARDEN_KEYRING === undefined
            ? ` and GATEWARDEN_KEYRING_FILE=${keyringFile(directory)}`
            : ""
        yield* say(`start the server with DATABASE_URL=${shown}${keyring}`)
      }).pipe(Effect.scoped, untilStopped)
    )
).pipe(
  Command.withDescription(
    "Copy the embedded installation, with its files, into an empty PostgreSQL database, and verify the copy. Stop its server first."
  ),
  Command.withExamples([
    { command: "gatewarden move --to postgres://user@host/database", description: "Move into an empty database" }
  ])
)

export const backup = Command.make(
  "backup",
  {
    directory: Argument.String("directory").pipe(Argument.withDescription("A directory that does not exist yet.")),
    withKeyring: Flag.Boolean("include-keyring").pipe(
      Flag.withDescription(
        "Include the keyring, which decrypts every secret of the backup. Protect such a backup like a key."
      ),
      Flag.withDefault(false)
    ),
    allowMissing: Flag.Boolean("allow-missing-contents").pipe(
      Flag.withDescription(
        "Write the backup although contents of files are missing or have another size. The manifest lists these files."
      ),
      Flag.withDefault(false)
    ),
    json
  },
  ({ directory, withKeyring, allowMissing, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const path = resolve(directory)
        const { manifest, unreadable } = yield* untilStopped(
          callStore(configuration, "writeBackup", { directory: path, allow_missing_contents: allowMissing })
        )
        if (withKeyring) {
          // The server that wrote the backup may have another keyring than this environment names.
          yield* includeKeyring(path, manifest, yield* keyringText(configuration)).pipe(
            Effect.mapError((error) =>
              error instanceof Failed
                ? new Failed({
                    exitCode: error.exitCode,
                    lines: [...error.lines, `${path} is whole, but the keyring is not in it: keep that apart`]
                  })
                : error
            )
          )
        }
        if (json) yield* printJson({ directory: path, ...manifest })
        else yield* print(sumRows(Object.fromEntries(manifest.tables.map(({ name, ...sum }) => [name, sum]))))
        if (manifest.incomplete_contents !== undefined) yield* say(describeIncomplete(manifest.incomplete_contents))
        if (!withKeyring)
          yield* say(
            `the keys ${[...new Set([manifest.keyring.primary, ...manifest.keyring.ids])].join(", ")} are not in it: keep the keyring apart, nothing else decrypts its secrets`
          )
        if (unreadable > 0)
          return yield* failed(
            "keyring",
            `The backup is whole, but ${unreadable} secrets in it open with no key of the keyring`
          )
      })
    )
).pipe(
  Command.withDescription("Write a consistent backup of everything to a new directory, while servers run."),
  Command.withExamples([
    { command: "gatewarden backup backups/today", description: "Back up without the keyring" },
    {
      command: "gatewarden backup backups/today --include-keyring",
      description: "Back up with the keyring; protect the backup like a key"
    }
  ])
)

export const restore = Command.make(
  "restore",
  { directory: Argument.String("directory").pipe(Argument.withDescription("The directory of a backup.")), json },
  ({ directory, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const commandLine = yield* CommandLine
        const { unlisted, ...restored } = yield* restoreBackup({
          configuration,
          directory: resolve(directory),
          counting: (total) => Effect.provideService(countingRows("restore", total), CommandLine, commandLine)
        })
        if (json) yield* printJson(restored)
        else yield* print(sumRows(restored.tables))
        yield* say(`${restored.secrets} secrets open with the keyring`)
        if (restored.incomplete_contents.length > 0) yield* say(describeIncomplete(restored.incomplete_contents))
        // The backup was written by a version that did not compare sizes, so its operator does not know.
        if (unlisted.length > 0)
          return yield* failed(
            "failure",
            `The store is restored, but the manifest does not list ${unlisted.length} of these files: look for another backup`
          )
      }).pipe(Effect.scoped, untilStopped)
    )
).pipe(
  Command.withDescription(
    "Restore a backup into the empty store that the environment names. It first checks that the backup is complete and that the keyring decrypts it."
  ),
  Command.withExamples([
    {
      command: "GATEWARDEN_DATA_DIR=restored gatewarden restore backups/today",
      description: "Into a new embedded store"
    },
    {
      command: "DATABASE_URL=postgres://… gatewarden restore backups/today",
      description: "Move into an empty database"
    }
  ])
)
