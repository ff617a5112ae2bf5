/**
 * What a file of `postgres` does with the database, from names: `gatewarden_x` is a table that a file of `migrations/baseline` creates, or
 * the function of `functions/x.sql`.
 */
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { SourceFile } from "@gatewarden/testkit/sourceFiles"

export const unique = <T>(items: Iterable<T>): readonly T[] => [...new Set(items)]

export const matches = (text: string, pattern: RegExp): readonly string[] =>
  unique(Array.from(text.matchAll(pattern), ([, found = ""]) => found))

export interface Schema {
  /** Names without the prefix, each with the file below `migrations/baseline` that creates the table. */
  readonly tables: ReadonlyMap<string, string>
  /** Names without the prefix, each with its file below `functions`. Comments are left out. */
  readonly functions: ReadonlyMap<string, SourceFile>
  readonly triggers: readonly { readonly table: string; readonly called: string }[]
}

/** Names of tables and functions, without the prefix. */
export interface Touched {
  readonly named: readonly string[]
  /** By the texts, or by the functions that they call. */
  readonly written: readonly string[]
  readonly called: readonly string[]
}

/** A text is searched once, and asked about for each noun. */
export const rememberedOf = <T>(find: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text) ?? find(text)
    known.set(text, found)
    return found
  }
}

const named = rememberedOf((text) => matches(text, /\bgatewarden_(\w+)/g))

const statement = /(?:\b(?:insert\}? into|update\}?|delete\}? from) |updateRow\(\w+, "|updateTogether\(\{[^}]*table: ")/

/** A text that begins with a table and its columns is what a statement inserts into. */
const written = rememberedOf((text) =>
  unique([
    ...matches(text, new RegExp(`${statement.source}gatewarden_(\\w+)`, "g")),
    ...matches(text, /["`]gatewarden_(\w+) \(/g)
  ])
)

const postgres = fileURLToPath(new URL("../../../postgres/src/", import.meta.url))

const sqlBelow = async (folder: string): Promise<readonly SourceFile[]> => {
  const files = (await readdir(`${postgres}${folder}`, { recursive: true })).map((file) => file.replaceAll("\\", "/"))
  const own = files.filter((file) => file.endsWith(".sql")).sort()
  return Promise.all(
    own.map(async (file) => {
      const text = await readFile(`${postgres}${folder}/${file}`, "utf8")
      return { file, text: text.replaceAll(/--.*$/gm, "") }
    })
  )
}

export const readSchema = async (): Promise<Schema> => {
  const baseline = await sqlBelow("migrations/baseline")
  const functions = await sqlBelow("functions")
  const trigger = /create (?:constraint )?trigger [^;]*? on gatewarden_(\w+)[^;]*?execute function gatewarden_(\w+)/g
  return {
    tables: new Map(
      baseline.flatMap(({ file, text }) =>
        matches(text, /create (?:unlogged )?table gatewarden_(\w+)\b(?! partition of)/g).map(
          (table) => [table, file] as const
        )
      )
    ),
    functions: new Map(functions.map((each) => [each.file.replace(/\.sql$/, "").replaceAll("/", "_"), each] as const)),
    triggers: baseline.flatMap(({ text }) =>
      Array.from(text.matchAll(trigger), ([, table = "", called = ""]) => ({ table, called }))
    )
  }
}

const bodyOf = ({ functions }: Schema, name: string): string => functions.get(name)?.text ?? ""

const callsIn = ({ functions }: Schema, text: string): readonly string[] =>
  named(text).filter((name) => functions.has(name))

/** The functions of triggers on these tables. */
const triggersOn = ({ triggers }: Schema, tables: readonly string[]): readonly string[] =>
  unique(triggers.filter(({ table }) => tables.includes(table)).map(({ called }) => called))

export const touchedBy = (schema: Schema, texts: readonly string[]): Touched => {
  const called = new Set(texts.flatMap((text) => callsIn(schema, text)))
  for (const name of called) for (const next of callsIn(schema, bodyOf(schema, name))) called.add(next)
  const all = [...texts, ...[...called].map((name) => bodyOf(schema, name))]
  const isTable = (name: string) => schema.tables.has(name)
  return {
    named: unique(all.flatMap(named).filter(isTable)),
    written: unique(all.flatMap(written).filter(isTable)),
    called: [...called]
  }
}

/** The tables that triggers on these tables write. */
export const writtenByTriggers = (schema: Schema, tables: readonly string[]): readonly string[] =>
  unique(triggersOn(schema, tables).flatMap((name) => written(bodyOf(schema, name)))).filter(
    (table) => schema.tables.has(table) && !tables.includes(table)
  )

/** The functions that lie on these tables, those that write them, what calls those, and what they call: alone, or with one other at most. */
export const functionsOn = (schema: Schema, tables: readonly string[]): readonly string[] => {
  const all = [...schema.functions.keys()]
  const own = new Set(all.filter((name) => written(bodyOf(schema, name)).some((table) => tables.includes(table))))
  for (const writer of own)
    for (const name of all) if (callsIn(schema, bodyOf(schema, name)).includes(writer)) own.add(name)
  const found = new Set([...triggersOn(schema, tables), ...own])
  const callers = (name: string) =>
    all.filter((one) => one !== name && callsIn(schema, bodyOf(schema, one)).includes(name))
  for (const caller of found)
    for (const name of callsIn(schema, bodyOf(schema, caller)))
      if (callers(name).filter((one) => !found.has(one)).length <= 1) found.add(name)
  return unique(found)
}
