/**
 * Functions of the database: each has one current text, which is applied when it is not the one that was applied last.
 *
 * What a function looks like in the database is kept when it is applied, so that one that was changed by hand is found out.
 */
import { createHash } from "node:crypto"

export interface SqlFunction {
  /** No other function of the database has the same name. */
  readonly name: string
  /** One `create or replace function`. It may refer to what a migration makes: bodies are not looked into when it is applied. */
  readonly sql: string
}

/**
 * Settings of functions whose small statements find their rows by keys. A session keeps the plans that it made first, and those that it made
 * for empty tables may read all of them: these are made to use indexes whatever statistics say. So rows are named by their keys even where a
 * join would say it, what joins a few values to a table looks each of them up (`offset 0`), and an account that is compared `is true` is not
 * looked up by.
 */
export const byKeys = `set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off`

/** A row of the table `gatewarden_function`, beside what the database has under its name. */
export interface AppliedFunction {
  readonly name: string
  /** SHA-256 of the text in lowercase hexadecimal. */
  readonly checksum: string
  /** A digest of the function as the database had it once it was applied, and of what it has now; `null` where it has none. */
  readonly applied_as: string
  readonly present: string | null
}

/** `edited`: it is not what was applied; `undeclared`: this version has none of that name. */
export interface FunctionStatus {
  readonly name: string
  readonly state: "applied" | "pending" | "edited" | "undeclared"
}

export const functionChecksum = ({ sql }: SqlFunction): string => createHash("sha256").update(sql).digest("hex")

/** Every function that either side knows: this version's in their order, then the others. */
export const compareFunctions = (
  known: readonly SqlFunction[],
  applied: readonly AppliedFunction[]
): readonly FunctionStatus[] => {
  const rows = new Map(applied.map((row) => [row.name, row]))
  const names = new Set(known.map(({ name }) => name))
  const own = known.map((one): FunctionStatus => {
    const row = rows.get(one.name)
    if (row?.checksum !== functionChecksum(one)) return { name: one.name, state: "pending" }
    return { name: one.name, state: row.present === row.applied_as ? "applied" : "edited" }
  })
  const others = applied.filter(({ name }) => !names.has(name))
  return [...own, ...others.map(({ name }): FunctionStatus => ({ name, state: "undeclared" }))]
}
