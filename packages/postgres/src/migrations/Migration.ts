/**
 * What a migration is, what can be wrong with those of a database, and the comparison that finds it.
 *
 * Source: specification, storage; forward only: a migration that was released is never edited, a change is a new one.
 */
import { Data } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"

export interface Migration {
  /** A positive integer, greater than those before it. */
  readonly id: number
  readonly name: string
  /** One or more statements, without transaction control: they run in one transaction. */
  readonly sql: string
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

/** The database lacks migrations, and this start was told to apply none. */
export class MigrationPending extends Data.TaggedError("MigrationPending")<{
  readonly pending: readonly { readonly id: number; readonly name: string }[]
}> {
  override readonly message = `The database lacks ${this.pending.map(({ id, name }) => `migration ${id} (${name})`).join(", ")}. Run: gatewarden migrate`
}

/** Another process has been migrating the database for the whole time that this one was willing to wait. */
export class MigrationLockTimeout extends Data.TaggedError("MigrationLockTimeout")<{
  readonly waitedMillis: number
  /** The session that holds the lock, for a human, if it was still there to be asked about. */
  readonly holder: string | undefined
}> {
  override readonly message = `Waited ${this.waitedMillis} ms for another process to migrate the database${this.holder === undefined ? "" : `: ${this.holder}`}.`
}

/** PostgreSQL refused a migration; nothing of it was kept, and those before it were. */
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

export const migrationChecksum = (migration: Migration): string =>
  createHash("sha256").update(migration.sql).digest("hex")

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
    if (row === undefined) return { id, name, state: id < last ? "skipped" : "pending", applied_at: null }
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
