/**
 * A backup: every table of one moment, contents of files among them, and what is needed to know whether a keyring decrypts it.
 *
 * It is written aside and moved into place, so a directory of that name is a whole backup.
 */
import { checkSecrets, Vault, Entropy, FileContents } from "@gatewarden/core/internal"
import {
  inSnapshot,
  makePrivateDirectory,
  migrationChecksum,
  migrations,
  migrationStatus,
  readTables,
  schema
} from "@gatewarden/postgres/internal"
import { Clock, Effect } from "effect"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { CommandSql } from "../store/StoreCommand.ts"
import { failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { syncDirectory, writePrivateFile } from "../platform/privateFiles.ts"
import { compareSizes, describeIncomplete, stillStored } from "./fileContentLines.ts"
import { writeLines } from "./lineFiles.ts"
import { backupFormat, type Manifest, manifestFile, sealManifest, tableFile } from "./Manifest.ts"
import { databaseSource, summed } from "./transferTables.ts"
import { orTransferFailure } from "./transferFailure.ts"

const diskFailure = (directory: string) => (cause: unknown) => fileFailure(`${directory} cannot be written`, cause)

export interface BackupOptions {
  /** A directory that does not exist yet. */
  readonly target: string
  /** Writes a backup although contents of stored files are missing. The manifest has the ids of these files. */
  readonly allowMissingContents: boolean
}

/** Answers the manifest, and how many secrets the keyring does not open. */
export const writeBackup = Effect.fn("writeBackup")(function* ({ target, allowMissingContents }: BackupOptions) {
  const { sql, filesBeside } = yield* CommandSql
  if (sql === undefined) return yield* failed("store", "The in-memory store keeps nothing to back up")
  const directory = resolve(target)
  if (existsSync(directory)) return yield* failed("file", `${directory} exists already`)
  const onDisk = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: diskFailure(directory) })

  const vault = yield* Vault
  const id = (yield* Entropy).uuid()
  const created_at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const aside = `${directory}.${id}`
  const from = databaseSource(filesBeside ? yield* FileContents : undefined)

  // Asked before, because it takes a connection of its own and the embedded store has but one.
  const statuses = yield* orTransferFailure(Effect.provideContext(migrationStatus(schema), sql))
  const write = Effect.gen(function* () {
    const tables = yield* readTables
    const sums: Manifest["tables"] = []
    const sizes = compareSizes()
    for (const table of tables) {
      const columns = table.columns.map(({ name }) => name)
      const file = writeLines(join(aside, tableFile(table.name)))
      const sum = yield* summed(from, table, (lines) => {
        sizes.add(table.name, columns, lines)
        return onDisk(() => file.write(lines))
      })
      yield* onDisk(file.end)
      sums.push({ name: table.name, columns, ...sum })
    }
    const secrets = yield* checkSecrets()
    return { tables: sums, secrets, incomplete: sizes.incomplete() }
  })

  const seal = ({ tables, secrets, incomplete }: Effect.Success<typeof write>) => {
    const applied = new Set(statuses.filter(({ state }) => state === "applied").map(({ id }) => id))
    return sealManifest({
      format: backupFormat,
      id,
      created_at,
      migrations: migrations
        .filter((migration) => applied.has(migration.id))
        .map((migration) => ({ id: migration.id, name: migration.name, checksum: migrationChecksum(migration) })),
      tables,
      ...(incomplete.length > 0 ? { incomplete_contents: [...incomplete] } : {}),
      keyring: { primary: vault.primaryKeyId, ids: [...secrets.key_ids] }
    })
  }

  return yield* Effect.gen(function* () {
    yield* onDisk(() => makePrivateDirectory(aside))
    const written = yield* Effect.provideContext(inSnapshot(write), sql)
    // After the snapshot, because a file that was deleted meanwhile has lost nothing.
    const lost = yield* Effect.provideContext(stillStored(written.incomplete), sql)
    if (lost.length > 0 && !allowMissingContents)
      return yield* failed(
        "failure",
        describeIncomplete(lost),
        "Nothing was written. Check where the contents of files are (GATEWARDEN_FILE_STORAGE), " +
          "or write a backup without these contents: --allow-missing-contents"
      )
    const manifest = yield* seal(written)
    yield* onDisk(async () => {
      await writePrivateFile(join(aside, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`)
      await rename(aside, directory)
      await syncDirectory(dirname(directory))
    })
    return { manifest, unreadable: written.secrets.unreadable }
  }).pipe(
    Effect.onError(() => Effect.promise(() => rm(aside, { recursive: true, force: true }).catch(() => {}))),
    orTransferFailure
  )
})
