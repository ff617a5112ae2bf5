/**
 * Databases that have their schema already, for tests of what is done with it. Applying a schema takes longer than most tests:
 * it is applied once, by the first test that asks, and copied from then on.
 */
import { layerPglite, layerPostgres, migrate, schema } from "@gatewarden/postgres/internal"
import { Effect, Layer, Redacted, References } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { openConnection } from "./openConnection.ts"
import { createDatabase, execute, nameDatabase, type PostgresAddress } from "./postgresServer.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "Warn")

/** The template of this run; made under a lock, so that of all processes that ask at once one makes it. */
const makeTemplate = async (address: PostgresAddress): Promise<string> => {
  const template = `${address.databasePrefix}template`
  const lock = await openConnection(address.url)
  try {
    await lock.query(`select pg_advisory_lock(hashtext('${template}'))`)
    const made = await lock.query(`select from pg_database where datname = '${template}'`)
    if (made.length > 0) return template
    const url = await createDatabase(address)
    await Effect.runPromise(
      Effect.provide(migrate(schema), Layer.merge(layerPostgres({ url: Redacted.make(url) }), quiet))
    )
    await lock.query(`alter database ${new URL(url).pathname.slice(1)} rename to ${template}`)
    return template
  } finally {
    await lock.close()
  }
}

/** How the server copies it: files cost a third of pages through the log, for which there is nothing to restore from. PostgreSQL 14 lacks it. */
const copyOf = async (address: PostgresAddress): Promise<string> => {
  const template = await makeTemplate(address)
  const [row] = await execute(
    address.url,
    "select current_setting('server_version_num')::int >= 150000 as copies_files"
  )
  return row?.["copies_files"] === true ? `${template} strategy = file_copy` : template
}

const copies = new Map<string, Promise<string>>()

/** Makes a database with the schema on the server of this run and answers its URL. */
export const createMigratedDatabase = async (address: PostgresAddress): Promise<string> => {
  const making = copies.get(address.databasePrefix) ?? copyOf(address)
  copies.set(address.databasePrefix, making)
  const copy = await making
  const [name, url] = nameDatabase(address)
  await execute(address.url, `create database ${name} template ${copy}`)
  return url
}

const digest = createHash("sha256").update(JSON.stringify(schema)).digest("hex").slice(0, 16)

const makeSnapshot = async (file: string, empty: string): Promise<void> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-snapshot-"))
  try {
    const dataDir = join(directory, "database")
    await Effect.runPromise(
      Effect.provide(migrate(schema), Layer.merge(layerPglite({ dataDir, snapshot: empty }), quiet))
    )
    const database = await PGlite.create({ dataDir })
    const dump = await database.dumpDataDir("none")
    await database.close()
    // Written aside and renamed, so that whoever finds the file finds all of it.
    const aside = `${file}.${randomUUID()}`
    await writeFile(aside, new Uint8Array(await dump.arrayBuffer()))
    await rename(aside, file)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Those of former schemas are nobody's. */
const removeOthers = async (file: string, start: string): Promise<void> => {
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(start) && name !== basename(file))
  await Promise.all(names.map((name) => rm(join(dirname(file), name), { force: true })))
}

const snapshots = new Map<string, Promise<string>>()

/** The `snapshot` of a PGlite that begins with the schema, kept beside that of an empty one. */
export const migratedSnapshot = (empty: string): Promise<string> => {
  const start = `${basename(empty, ".tar")}-schema-`
  const file = join(dirname(empty), `${start}${digest}.tar`)
  const made = existsSync(file)
    ? Promise.resolve(file)
    : (snapshots.get(file) ??
      makeSnapshot(file, empty).then(async () => {
        await removeOthers(file, start)
        return file
      }))
  snapshots.set(file, made)
  return made
}
