/**
 * What a migration is, what can be wrong with those of a database, and the comparison that finds it.
 *
 * Rule: operating#migrations.
 */
import { Data } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import type { SqlFunction } from "../functions/SqlFunction.ts"

export interface Migration {
  /** A positive integer, greater than those before it. */
  readonly id: number
  readonly name: string
  /** One or more statements, without transaction control: they run in one transaction. */
  readonly sql: string
  /**
   * The index that `sql` makes, as one `create index concurrently if not exists`: it runs outside a transaction, while servers write. It runs
   * after all others that are pending, so none of them may need the index.
   */
  readonly index?: string
}

/** All that a database of one version has. */
export interface Schema {
  readonly migrations: readonly Migration[]
  readonly functions: readonly SqlFunction[]
}

/** A row of the table `gatewarden_migration`. */
export interface AppliedMigration {
  readonly id: number
  readonly name: string
  /** SHA-256 of the SQL text in lowercase hexadecimal. */
  readonly checksum: string
  /** UTC, ISO 8601. */
  readonly applied_at: string
}

/**
 * A migration and where the database stands with it. `changed`: its text is not the one that was applied; `skipped`:
 * it is not applied although a later one is; `unknown`: the database has it and this version does not.
 */
export interface MigrationStatus {
  readonly id: number
  readonly name: string
  readonly state: "applied" | "pending" | "changed" | "skipped" | "unknown"
  readonly applied_at: string | null
}

/** The text of an applied migration has changed since. */
export class MigrationChanged extends Data.TaggedError("MigrationChanged")<{
  readonly id: number
  readonly name: string
}> {
  override readonly message = `Migration ${this.id} (${this.name}) was applied with another text. Restore its text; a change is a new migration.`
}

/** The database lacks a migration that precedes one it has. */
export class MigrationSkipped extends Data.TaggedError("MigrationSkipped")<{
  readonly id: number
  readonly name: string
}> {
  override readonly message = `Migration ${this.id} (${this.name}) is not applied although a later one is. The table gatewarden_migration was altered.`
}

/** A newer version of the program has migrated the database. */
export class DatabaseAhead extends Data.TaggedError("DatabaseAhead")<{
  readonly databaseVersion: number
  readonly knownVersion: number
}> {
  override readonly message = `The database is at migration ${this.databaseVersion}, and this version of Gatewarden knows only ${this.knownVersion}. Run a version at least as new as the one that migrated it.`
}

/** An unreleased state of Gatewarden has made the database: it begins with another migration. */
export class FormerDatabase extends Data.TaggedError("FormerDatabase")<{
  readonly databaseVersion: number
}> {
  override readonly message = `An unreleased state of Gatewarden made this database (its last migration is ${this.databaseVersion}), and no release upgrades it. Start with an empty database. To read its data, run the state that made it.`
}

/** The database lacks migrations or functions, and this start was told to apply none. */
export class MigrationPending extends Data.TaggedError("MigrationPending")<{
  readonly pending: readonly { readonly id: number; readonly name: string }[]
  readonly functions: readonly string[]
}> {
  override readonly message = `The database lacks ${[
    ...this.pending.map(({ id, name }) => `migration ${id} (${name})`),
    ...(this.functions.length === 0 ? [] : [`the present text of ${this.functions.join(", ")}`])
  ].join(", ")}. Run: gatewarden migrate`
}

/** Another process has been migrating the database for the whole time that this one was willing to wait. */
export class MigrationLockTimeout extends Data.TaggedError("MigrationLockTimeout")<{
  readonly waitedMillis: number
  /** The session that holds the lock, for a human, if it was still there to be asked about. */
  readonly holder: string | undefined
}> {
  override readonly message = `Waited ${this.waitedMillis} ms for another process to migrate the database${this.holder === undefined ? "" : `: ${this.holder}`}.`
}

/** Transactions held the tables of a migration for the whole time that this process was willing to wait; nothing was kept. */
export class MigrationBlocked extends Data.TaggedError("MigrationBlocked")<{
  readonly waitedMillis: number
  readonly attempts: number
  /** The oldest open transaction, for a human, if there is one. */
  readonly oldest: string | undefined
}> {
  override readonly message = `A migration did not get its table locks in ${this.attempts} attempts within ${this.waitedMillis} ms${this.oldest === undefined ? "" : `. The oldest open transaction: ${this.oldest}`}. End long transactions and start again.`
}

/** PostgreSQL refused a migration; nothing was kept of it, nor of those that were applied with it. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly id: number
  readonly name: string
  /** The line of the SQL text, from 1, where PostgreSQL names one. */
  readonly line: number | undefined
  /** What PostgreSQL says. */
  readonly problem: string
  readonly cause: SqlError
}> {
  override readonly message = `Migration ${this.id} (${this.name}) failed${this.line === undefined ? "" : ` at line ${this.line}`}: ${this.problem}`
}

/** PostgreSQL refused the text of a function; nothing was kept of it, nor of what was applied with it. */
export class FunctionFailed extends Data.TaggedError("FunctionFailed")<{
  readonly name: string
  /** The line of the SQL text, from 1, where PostgreSQL names one. */
  readonly line: number | undefined
  /** What PostgreSQL says. */
  readonly problem: string
  readonly cause: SqlError
}> {
  override readonly message = `Function ${this.name} failed${this.line === undefined ? "" : ` at line ${this.line}`}: ${this.problem}`
}

export const migrationChecksum = (migration: Migration): string =>
  createHash("sha256").update(migration.sql).digest("hex")

/** The digest of a series of migrations by their ids and checksums. */
export const seriesDigest = (series: readonly Pick<AppliedMigration, "id" | "checksum">[]): string =>
  createHash("sha256")
    .update(series.map(({ id, checksum }) => `${id} ${checksum}`).join("\n"))
    .digest("hex")

/** Whether another series made the database: it has migrations, and the first of these is not among them. */
export const isFormer = (known: readonly Migration[], applied: readonly AppliedMigration[]): boolean => {
  const [first] = known
  if (first === undefined || applied.length === 0) return false
  return !applied.some(({ id, name }) => id === first.id && name === first.name)
}

/** Every migration that either side knows, by id. */
export const compareMigrations = (
  known: readonly Migration[],
  applied: readonly AppliedMigration[]
): readonly MigrationStatus[] => {
  const rows = new Map(applied.map((row) => [row.id, row]))
  const last = Math.max(0, ...rows.keys())
  const ids = new Set(known.map(({ id }) => id))
  const own = known.map((migration): MigrationStatus => {
    const { id, name } = migration
    const row = rows.get(id)
    // An index is made last; a later migration may be applied already if that was interrupted.
    if (row === undefined)
      return { id, name, state: id < last && migration.index === undefined ? "skipped" : "pending", applied_at: null }
    const state = row.checksum === migrationChecksum(migration) ? "applied" : "changed"
    return { id, name, state, applied_at: row.applied_at }
  })
  const foreign = applied
    .filter(({ id }) => !ids.has(id))
    .map(({ id, name, applied_at }): MigrationStatus => ({ id, name, state: "unknown", applied_at }))
  return [...own, ...foreign].sort((a, b) => a.id - b.id)
}

/** Why no migration may run on a database with these, if there is a reason. */
export const migrationProblem = (
  statuses: readonly MigrationStatus[]
): MigrationChanged | MigrationSkipped | DatabaseAhead | undefined => {
  const changed = statuses.find(({ state }) => state === "changed")
  if (changed !== undefined) return new MigrationChanged({ id: changed.id, name: changed.name })
  const unknown = statuses.findLast(({ state }) => state === "unknown")
  if (unknown !== undefined) {
    const knownVersion = statuses.findLast(({ state }) => state !== "unknown")?.id ?? 0
    return new DatabaseAhead({ databaseVersion: unknown.id, knownVersion })
  }
  const skipped = statuses.find(({ state }) => state === "skipped")
  return skipped && new MigrationSkipped({ id: skipped.id, name: skipped.name })
}
