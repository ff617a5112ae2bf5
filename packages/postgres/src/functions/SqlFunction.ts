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
