/**
 * A new embedded database with its schema, made once for all that start with the same one: making one takes PostgreSQL seconds.
 *
 * Source: docs/decisions/0006-starting.md. `npm run build` makes it in `dist`; a start that finds none, or one of another schema or
 * version of PGlite, makes its database by running the migrations.
 */
import { Effect, Layer, References } from "effect"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { packDatabase } from "../connection/databaseFile.js"
import { layerPglite } from "../connection/layerPglite.ts"
import type { PreparedDatabase } from "../connection/pgliteDuplex.ts"
import { functionChecksum } from "../functions/SqlFunction.ts"
import { type Schema, migrationChecksum, seriesDigest } from "../migrations/Migration.ts"
import { migrate } from "../migrations/migrate.ts"
import { schema } from "../migrations/schema.ts"

/** The version of the file format: raise it when `databaseFile.js` writes another format. */
const format = 1

/** Built at run time, so that the bundler of a host does not look for the file. Bundled code makes databases without it. */
const folder = join(dirname(fileURLToPath(import.meta.url)), "../../dist/prepared")

/** Undefined where PGlite is not installed. */
const pgliteVersion = (): string | undefined => {
  try {
    const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
    return String(JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8")).version)
  } catch {
    return undefined
  }
}

/** The name of the file that has a schema for a version of PGlite. */
export const preparedName = ({ migrations, functions }: Schema, pglite: string): string => {
  const series = seriesDigest(migrations.map((one) => ({ id: one.id, checksum: migrationChecksum(one) })))
  const texts = functions.map((one) => `${one.name} ${functionChecksum(one)}`)
  const digest = createHash("sha256")
    .update([format, pglite, series, ...texts].join("\n"))
    .digest("hex")
  return `${digest.slice(0, 32)}.gz`
}

const preparedFile = (): string | undefined => {
  const version = pgliteVersion()
  return version === undefined ? undefined : join(folder, preparedName(schema, version))
}

/** Sets the time at which the migrations were applied to the time at which the database is made. */
const date = "update gatewarden_migration set applied_at = now(); update gatewarden_function set applied_at = now()"

/** The prepared database; undefined if there is none, or none that fits. */
export const preparedDatabase = (): PreparedDatabase | undefined => {
  const file = preparedFile()
  return file !== undefined && existsSync(file) ? { file, date } : undefined
}

/** Makes the file where it is missing, and removes those of other schemas. Answers whether it made the file. */
export const prepareDatabase = async (): Promise<boolean> => {
  const file = preparedFile()
  if (file === undefined || existsSync(file)) return false
  await mkdir(folder, { recursive: true })
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-prepared-"))
  try {
    const dataDir = join(directory, "database")
    const layer = Layer.merge(layerPglite({ dataDir }), Layer.succeed(References.MinimumLogLevel, "Warn"))
    await Effect.runPromise(Effect.provide(migrate(schema), layer))
    // Written aside and renamed, so that whoever finds the file finds all of it.
    const aside = `${file}.${process.pid}`
    await writeFile(aside, packDatabase(dataDir))
    const others = (await readdir(folder)).filter((name) => name.endsWith(".gz"))
    await rename(aside, file)
    await Promise.all(others.map((name) => rm(join(folder, name), { force: true })))
    return true
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
