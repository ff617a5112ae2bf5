/** A backup becomes an installation again, on an empty store of any kind that is kept. */
import { checkSecrets, type Keyring, layerVault, parseKeyring, FileContents } from "@gatewarden/core/internal"
import {
  inLoad,
  layerSealedSecrets,
  migrate,
  migrationChecksum,
  migrations,
  readTables,
  schema,
  sealedFieldsIn,
  type TransferTable
} from "@gatewarden/postgres/internal"
import { Context, Effect, Layer, type Scope } from "effect"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Configuration } from "../config/readConfiguration.ts"
import { failed } from "../failure/Failed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { keyringFile, openBare, orStartFailure } from "../store/openStore.ts"
import { createPrivateFile } from "../platform/privateFiles.ts"
import { judgeManifest, keyringCopy, type Manifest } from "./Manifest.ts"
import { backupSource, readManifest, verifyBackup } from "./readBackup.ts"
import { loadTables, requireEmpty } from "./transferTables.ts"
import { orTransferFailure } from "./transferFailure.ts"

export interface RestoreOptions {
  readonly configuration: Configuration
  /** The directory of the backup. */
  readonly directory: string
  /** Shows rows as they arrive, of as many as there are. */
  readonly counting: (total: number) => Effect.Effect<(rows: number) => Effect.Effect<void>, never, Scope.Scope>
}

/** The migrations of a backup, which must be the first of those that this version knows. */
const migrationsOf = Effect.fnUntraced(function* (manifest: Manifest) {
  const own = migrations.slice(0, manifest.migrations.length)
  const differs = manifest.migrations.find(
    ({ id, checksum }, index) => own[index]?.id !== id || migrationChecksum(own[index]) !== checksum
  )
  if (differs === undefined) return own
  return yield* failed(
    "schema",
    `The backup is of another version: migration ${differs.id} (${differs.name}) is unknown here. ` +
      "Restore it with a version at least as new as the one that made it"
  )
})

/** The keyring of the configuration, else of the data directory, else the copy in the backup, which is put where it belongs. */
const keyringFor = Effect.fnUntraced(function* ({ database, values }: Configuration, directory: string) {
  if (values.GATEWARDEN_KEYRING !== undefined) return { keyring: values.GATEWARDEN_KEYRING, keep: Effect.void }
  const path = keyringFile(values.GATEWARDEN_DATA_DIR)
  const copy = join(directory, keyringCopy)
  const from = database.kind === "embedded" && existsSync(path) ? path : copy
  const text = yield* Effect.tryPromise({
    try: async () => (await readFile(from, "utf8")).trim(),
    catch: () =>
      failed(
        "keyring",
        `There is no keyring: set GATEWARDEN_KEYRING to the one that this backup was made with, or put it at ${path}`
      )
  })
  const parsed = parseKeyring(text)
  if ("problem" in parsed) return yield* failed("keyring", `${from} is not usable: ${parsed.problem}`)
  const keep = from === path ? Effect.void : Effect.promise(() => createPrivateFile(path, `${text}\n`))
  return { keyring: parsed.keyring, keep }
})

/** Fails when the primary key of the backup is not in the keyring, or the manifest is not the one that was sealed with it. */
export const requireOpening = Effect.fnUntraced(function* (manifest: Manifest, keyring: Keyring) {
  const judged = yield* Effect.provide(judgeManifest(manifest), layerVault(keyring))
  if (judged === "altered")
    return yield* failed(
      "file",
      "The manifest of this backup was altered after the backup was written; nothing was restored"
    )
  if (judged === "unopened")
    return yield* failed(
      "keyring",
      `The keyring does not open this backup, which was made with the key "${manifest.keyring.primary}": ` +
        "set GATEWARDEN_KEYRING to the keyring of that time"
    )
})

/** The tables as the backup has them: a column that was added since keeps its default. */
const tablesOf = (manifest: Manifest, own: readonly TransferTable[]): readonly TransferTable[] =>
  manifest.tables.flatMap(({ name, columns }) => {
    const table = own.find((candidate) => candidate.name === name)
    if (table === undefined) return []
    const known = new Map(table.columns.map((column) => [column.name, column]))
    return [{ ...table, columns: columns.flatMap((column) => known.get(column) ?? []) }]
  })

/**
 * Checks the whole backup first, loads it in one transaction, reads it again and opens every secret before it commits; then
 * brings the schema up to date. What fails leaves an empty store, and may be repeated.
 */
export const restoreBackup = Effect.fnUntraced(function* ({ configuration, directory, counting }: RestoreOptions) {
  const manifest = yield* readManifest(directory)
  const known = yield* migrationsOf(manifest)
  const { keyring, keep } = yield* keyringFor(configuration, directory)
  yield* requireOpening(manifest, keyring)
  const incomplete = yield* verifyBackup(directory, manifest)

  const { sql, files } = yield* openBare(configuration)
  if (sql === undefined) return yield* failed("store", "Nothing can be restored into the in-memory store")
  const expected = Object.fromEntries(manifest.tables.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]))
  const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0)
  const restore = Effect.gen(function* () {
    yield* orStartFailure(migrate({ ...schema, migrations: known }))
    const load = Effect.gen(function* () {
      const own = yield* readTables
      yield* requireEmpty(own, "The store")
      const tables = tablesOf(manifest, own)
      if (tables.length < manifest.tables.length)
        return yield* failed("schema", "The backup has tables that this version does not know")
      const sums = yield* Effect.flatMap(counting(total), (advance) =>
        loadTables({
          tables,
          from: backupSource(directory),
          beside: Context.getOrUndefined(files, FileContents),
          expected,
          advance
        })
      ).pipe(Effect.scoped)
      const secrets = yield* checkSecrets(Infinity, sealedFieldsIn(own)).pipe(
        Effect.provide(Layer.merge(layerVault(keyring), layerSealedSecrets))
      )
      if (secrets.unreadable > 0)
        return yield* failed(
          "keyring",
          `The keyring does not decrypt ${secrets.unreadable} secrets (encrypted by ${secrets.foreign_key_ids.join(", ")}); nothing was kept`
        )
      yield* keep
      return { tables: sums, secrets: secrets.opened, incomplete_contents: incomplete }
    })
    const result = yield* inLoad(load)
    yield* orStartFailure(migrate(schema))
    return result
  })
  const restored = yield* orTransferFailure(Effect.provideContext(restore, sql))
  const listed = new Set(manifest.incomplete_contents)
  return { ...restored, unlisted: incomplete.filter((id) => !listed.has(id)) }
}, Effect.provide(layerPlatform))
