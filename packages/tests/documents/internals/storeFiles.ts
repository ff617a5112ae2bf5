/**
 * What lies behind the adapters of a port: the files that an adapter imports and hardly another one does, and its tables and functions.
 */
import { posix } from "node:path"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { citedBy } from "../citations.ts"
import {
  functionsOn,
  matches,
  readSchema,
  rememberedOf,
  touchedBy,
  unique,
  writtenByTriggers
} from "./databaseNames.ts"
import { compact, isNamed } from "./names.ts"
import type { PortFiles } from "./portFiles.ts"

export interface StoreFiles {
  /** Below `core/src/memory`. */
  readonly memory: readonly string[]
  /** Below `postgres/src`. */
  readonly postgres: readonly string[]
  /** Names without the prefix, by the file below `migrations/baseline` that creates them. */
  readonly tables: ReadonlyMap<string, string>
  /** Below `postgres/src/functions`. */
  readonly functions: readonly string[]
  /** Those of `tables` that the adapter writes. */
  readonly written: readonly string[]
  /** All tables that the adapter names. */
  readonly read: readonly string[]
  /** What the adapter and its own files name or write, beside `tables`. */
  readonly others: readonly string[]
  /** Below `core/src`: the rules that hardly another adapter uses. */
  readonly core: readonly string[]
}

/** A file that more adapters import is of none of them. */
const fewAdapters = 4

/** A table that the adapters of more ports write is listed at the port of its name alone. */
const fewWriters = 3

/** An adapter that writes more tables works on all nouns, such as retention. */
const mostTables = 12

const importsIn = rememberedOf((text) => matches(text, /^(?:import|export|\})[^;\n]* from "(\.[^"]+)"/gm))

/** The files that a file imports. */
const importsOf = ({ file, text }: SourceFile): readonly string[] =>
  importsIn(text).map((path) => posix.join(posix.dirname(file), path))

/** The files below a folder that an adapter imports, and those that only these import. */
const ownImports = (
  sources: readonly SourceFile[],
  adapter: string,
  isInside: (file: string) => boolean
): readonly string[] => {
  const imported = new Map(sources.map((source) => [source.file, importsOf(source)]))
  const isAdapter = (file: string) => !isInside(file)
  const importers = (file: string) => sources.filter((source) => imported.get(source.file)?.includes(file))
  const few = (file: string) =>
    isInside(file) && importers(file).filter((source) => isAdapter(source.file)).length <= fewAdapters
  const first = (imported.get(adapter) ?? []).filter(few)
  const second = first
    .flatMap((file) => imported.get(file) ?? [])
    .filter((file) => few(file) && importers(file).length <= fewAdapters)
  return unique([...first, ...second]).toSorted()
}

/** The classes of `memory/tables` are fields of `Tables`: an adapter uses a class as `tables.keySecrets`. */
const fieldClasses = (tables: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(tables.matchAll(/^ {4}(\w+): new (\w+)\(/gm), ([, field = "", name = ""]) => [field, name] as const)
  )

const memoryFiles = (core: readonly SourceFile[], port: string, rule = ""): readonly string[] => {
  const sources = core.filter(({ file }) => file.startsWith("core/src/memory/"))
  const folder = "core/src/memory/tables/"
  const isInside = (file: string) => file.startsWith(folder) && file !== `${folder}Tables.ts`
  const adapters = sources.filter(({ file }) => /\/memory\/[A-Z]\w+\.ts$/.test(file))
  const own = adapters.find(({ file }) => file === `core/src/memory/${port}.ts`)
  const all = sources.find(({ file }) => file === `${folder}Tables.ts`)?.text ?? ""
  const uses = (field: string) =>
    new RegExp(`\\btables\\.${field}\\b|\\{[^}]*\\b${field}\\b[^}]*\\}: (?:Pick<)?Tables\\b`)
  const classes = [...fieldClasses(all)]
    .filter(([field]) => uses(field).test(own?.text ?? ""))
    .filter(([field]) => adapters.filter(({ text }) => uses(field).test(text)).length <= fewAdapters + 1)
    .map(([, name]) => `${folder}${name}.ts`)
    .filter((file) => sources.some((source) => source.file === file))
  const imported = ownImports(sources, own?.file ?? "", isInside)
  const built = sources
    .filter((source) => isInside(source.file) && importsOf(source).some((file) => imported.includes(file)))
    .filter(({ file }) => !adapters.some((adapter) => importsOf(adapter).includes(file)))
    .map(({ file }) => file)
  const citing = sources.filter(({ file, text }) => isInside(file) && citedBy(text)[0] === rule)
  return unique([...imported, ...classes, ...built, ...citing.map(({ file }) => file)])
    .map((file) => file.slice("core/src/memory/".length))
    .toSorted()
}

/** An adapter in memory imports the rules that the SQL adapter has from the package. Every adapter uses the folders that are left out. */
const rulesFiles = (core: readonly SourceFile[], port: string): readonly string[] =>
  ownImports(
    core
      .filter(({ file }) => /\/memory\/[A-Z]\w+\.ts$/.test(file))
      .map(({ file, text }) => ({ file, text: text.replaceAll(/^import type .*$/gm, "") })),
    `core/src/memory/${port}.ts`,
    (file) => !/^core\/src\/(?:memory|ports|value|platform|tracing|vault)\//.test(file)
  ).map((file) => file.slice("core/src/".length))

/** Below `postgres/src`. */
const postgresFiles = (sources: readonly SourceFile[], port: string): readonly string[] =>
  ownImports(sources, `postgres/src/adapters/${port}.ts`, (file) =>
    /^postgres\/src\/(?:ledger|statements|functions)\//.test(file)
  ).map((file) => file.slice("postgres/src/".length))

export const storeFiles = async (ports: readonly PortFiles[]): Promise<ReadonlyMap<string, StoreFiles>> => {
  const core = await sourceFiles("core")
  const sql = (await sourceFiles("postgres")).filter(({ file }) => !file.startsWith("postgres/src/embedded/"))
  const schema = await readSchema()
  const textOf = (file: string) => sql.find((source) => source.file === `postgres/src/${file}`)?.text ?? ""
  const declared = new Map(ports.map((each) => [each.port, each.declared]))
  const files = new Map(ports.map(({ port }) => [port, postgresFiles(sql, port)]))
  const touched = new Map(
    [...files].map(([port, own]) => [
      port,
      touchedBy(schema, [`adapters/${port}.ts`, ...own.filter((file) => !file.startsWith("functions/"))].map(textOf))
    ])
  )
  const isBroad = (port: string): boolean => (touched.get(port)?.written.length ?? 0) > mostTables
  const writers = (table: string) =>
    ports.filter(({ port }) => !isBroad(port) && touched.get(port)?.written.includes(table))
  const hasMany = (table: string) => writers(table).length > fewWriters
  const sameFile = (a: string, b: string) => declared.get(a) === declared.get(b)
  const ownerOf = (table: string) => ports.find((each) => isNamed(table, each.port))?.port
  const isOfOthers = (port: string, table: string): boolean => ![undefined, port].includes(ownerOf(table))
  /** `guardrail_key` is of the ports that `guardrails.ts` declares. */
  const isFamily = (port: string, table: string): boolean =>
    compact(table).startsWith(
      posix
        .basename(declared.get(port) ?? "", ".ts")
        .toLowerCase()
        .replace(/s$/, "")
    )
  const touchedOf = (port: string) => touched.get(port) ?? touchedBy(schema, [])
  /** A table with the name of a port is listed at the ports that its file declares, and a table with the name of the file, too. */
  const isListed = (port: string, table: string): boolean => {
    const owner = ownerOf(table)
    if (isBroad(port) || owner !== undefined)
      return port === owner || (!isBroad(port) && owner !== undefined && sameFile(port, owner))
    return !hasMany(table) || isNamed(table, posix.basename(declared.get(port) ?? "", ".ts"))
  }
  const byTriggers = new Set([...schema.tables.keys()].flatMap((table) => writtenByTriggers(schema, [table])))
  /** Written by statements that do not spell its name. */
  const isUnspelled = (table: string): boolean => writers(table).length === 0 && !byTriggers.has(table)
  const isOwn = (port: string, table: string): boolean =>
    isNamed(table, port) ||
    (isUnspelled(table) &&
      (isFamily(port, table) ||
        !ports.some((each) => isFamily(each.port, table) && touchedOf(each.port).named.includes(table))))
  const changed = new Map(
    ports.map(({ port }) => {
      const { named, written } = touchedOf(port)
      const own = [...written, ...named.filter((table) => isOwn(port, table))]
      return [port, unique(own).filter((table) => isListed(port, table))]
    })
  )
  const followed = (port: string): readonly string[] => writtenByTriggers(schema, changed.get(port) ?? [])
  /** What triggers on the tables of one port write is of the port, and what those of many write is not. */
  const tablesOf = (port: string): readonly string[] => {
    const own = changed.get(port) ?? []
    const few = followed(port).filter(
      (table) => ports.filter((each) => followed(each.port).includes(table)).length <= fewWriters
    )
    if (own.length > 0 || isBroad(port)) return unique([...own, ...few.filter((table) => isListed(port, table))])
    const { named } = touchedOf(port)
    const read = named.filter((table) => !hasMany(table) && !isOfOthers(port, table))
    return read.length > 0 ? read : named
  }
  const functionsOf = (port: string): readonly string[] => {
    const own = (changed.get(port) ?? []).filter((table) => !isOfOthers(port, table))
    return unique([...(isBroad(port) ? [] : touchedOf(port).called), ...functionsOn(schema, own)])
  }
  return new Map(
    [...files].map(([port, own]) => {
      const tables = new Map(tablesOf(port).map((table) => [table, schema.tables.get(table) ?? ""]))
      const { named, written } = touchedOf(port)
      return [
        port,
        {
          memory: memoryFiles(core, port, ports.find((each) => each.port === port)?.rule),
          postgres: own,
          tables,
          functions: functionsOf(port)
            .map((name) => schema.functions.get(name)?.file ?? "")
            .toSorted(),
          written: changed.get(port) ?? [],
          read: unique([...written, ...named]),
          others: unique([...written, ...named]).filter((table) => !tables.has(table)),
          core: rulesFiles(core, port)
        }
      ]
    })
  )
}
