/** The page `docs/internals/nouns.md`, made from the table of operations, the list of ports and the files of both. */
import { operations } from "@gatewarden/contract"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { type Cells, code, page, table } from "../reference/markdown.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

/** The files of one operation, each below `src` of its package. `undefined` if there is none. */
export interface OperationFiles {
  readonly id: string
  readonly contract: string | undefined
  readonly core: string | undefined
  readonly cases: string | undefined
  readonly command: string | undefined
}

/** The files of one port, below `packages/`. */
export interface PortFiles {
  readonly port: string
  readonly declared: string
  readonly adapters: readonly string[]
  readonly suite: string | undefined
  readonly calledBy: readonly string[]
}

const without = (prefix: string) => (file: string) => file.slice(prefix.length)

/** The ids that a pattern finds in the sources of a package, each with its file. */
const filesById = async (name: string, found: RegExp): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await sourceFiles(name)).flatMap(({ file, text }) =>
      Array.from(text.matchAll(found), ([, id = ""]) => [id, without(`${name}/src/`)(file)] as const)
    )
  )

/** Tells in which file of `core/src` an operation is answered, from its row in `handlers.ts`. */
const answeredIn = (): ((id: string) => string) => {
  const handlers = read("packages/core/src/http/handlers.ts")
  const imported = new Map(
    Array.from(handlers.matchAll(/^import \{([^}]+)\} from "\.\.\/([^"]+)"/gm)).flatMap(([, names = "", file = ""]) =>
      Array.from(names.matchAll(/\w+/g), ([name]): readonly [string, string] => [name, file])
    )
  )
  return (id) => {
    const [, body = ""] = new RegExp(`^  ${id}: ([\\s\\S]*?)(?=^  \\w+: |^\\})`, "m").exec(handlers) ?? []
    const names = [...imported.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    return imported.get(names.find((name) => name === id) ?? names.at(-1) ?? "") ?? "http/handlers.ts"
  }
}

/** Tells which file has the cases of an operation: its own, or one that it shares with others. */
const testedIn = (conformance: readonly SourceFile[]): ((id: string) => string | undefined) => {
  const cases = conformance.filter(({ file }) => file.endsWith(".cases.ts"))
  const ids: readonly string[] = operations.map(({ id }) => id)
  const shared = cases.filter(({ file }) => !ids.includes(posix.basename(file, ".cases.ts")))
  return (id) => {
    const own = cases.find(({ file }) => posix.basename(file, ".cases.ts") === id)
    return (own ?? shared.find(({ text }) => text.includes(`"${id}"`)))?.file.slice("conformance/src/".length)
  }
}

export const operationFiles = async (): Promise<readonly OperationFiles[]> => {
  const declared = await filesById("contract", /\boperation\(\{\s*id: "(\w+)"/g)
  const commanded = await filesById("conformance", /\bcommand\("(\w+)"/g)
  const answered = answeredIn()
  const tested = testedIn(await sourceFiles("conformance"))
  return operations.map(({ id }) => ({
    id,
    contract: declared.get(id),
    core: answered(id),
    cases: tested(id),
    command: commanded.get(id)
  }))
}

/** The names in `StorePorts`, with the files that declare them. */
const declaredPorts = (): readonly (readonly [port: string, file: string])[] => {
  const text = read("packages/core/src/ports/StorePorts.ts")
  const [, list = ""] = /export type StorePorts =\n((?: {2}\| \w+\n)+)/.exec(text) ?? []
  const files = new Map(
    Array.from(text.matchAll(/^import type \{([^}]+)\} from "\.\/([^"]+)"/gm)).flatMap(([, names = "", file = ""]) =>
      Array.from(names.matchAll(/\w+/g), ([name]): readonly [string, string] => [name, file])
    )
  )
  return Array.from(list.matchAll(/\| (\w+)/g), ([, port = ""]) => [port, files.get(port) ?? "StorePorts.ts"] as const)
}

/** An adapter lies in the folder of its package that has a file of the port's name. */
const adaptersOf = (port: string): readonly string[] =>
  ["core/src/memory", "postgres/src/adapters"]
    .map((folder) => `${folder}/${port}.ts`)
    .filter((file) => existsSync(`${root}packages/${file}`))

export const portFiles = async (): Promise<readonly PortFiles[]> => {
  const suites = (await sourceFiles("conformance")).filter(({ file }) => file.endsWith(".suite.ts"))
  return declaredPorts()
    .map(([port, file]): PortFiles => {
      const suite = suites.find((each) => posix.basename(each.file, ".suite.ts") === port)
      const [, name = ""] = /^export const (\w+(?:Suite|Agreement))\b/m.exec(suite?.text ?? "") ?? []
      const folder = suite === undefined ? "" : posix.dirname(suite.file).replace("conformance/src/", "tests/")
      const tests = folder === "" ? [] : readdirSync(`${root}packages/${folder}`)
      return {
        port,
        declared: `core/src/ports/${file}`,
        adapters: adaptersOf(port),
        suite: suite?.file,
        calledBy: tests.filter(
          (test) => test.endsWith(".test.ts") && read(`packages/${folder}/${test}`).includes(`{ ${name} }`)
        )
      }
    })
    .sort((a, b) => (a.port < b.port ? -1 : 1))
}

/** Ports that an adapter is missing of, in memory or in SQL. */
export const withoutAdapter = (ports: readonly PortFiles[]): readonly PortFiles[] =>
  ports.filter(({ adapters }) => adapters.length !== 2)

const words = (file: string): string =>
  posix.basename(file, ".ts").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const firstRule = (text: string): string | undefined => /\bRule: ([a-z-]+#[a-z0-9-]+)/.exec(text)?.[1]

const ruleLink = (rule: string | undefined): string =>
  rule === undefined ? "" : `[${rule}](../rules/${rule.replace("#", ".md#")})`

const list = (files: Iterable<string | undefined>): string =>
  [...new Set(files)]
    .filter((file) => file !== undefined)
    .sort()
    .map(code)
    .join(", ")

/** A file that is alone in its folder keeps its name; several of a folder are named by it. */
const folded = (files: readonly string[]): readonly string[] =>
  [...new Set(files)].map((file, _at, all) => {
    const folder = posix.dirname(file)
    return all.some((other) => other !== file && posix.dirname(other) === folder) ? folder : file
  })

/** The folders of `tests` that have a name of these. */
const testFolders = (folders: readonly string[]): readonly string[] =>
  folders.map((folder) => folder.split("/")[0] ?? "").filter((folder) => existsSync(`${root}packages/tests/${folder}`))

const operationRows = (files: readonly OperationFiles[]): readonly Cells[] => {
  const declarations = [...new Set(files.map(({ contract }) => contract ?? ""))].sort()
  return declarations.map((file) => {
    const own = files.filter(({ contract }) => contract === file)
    const folders = own.flatMap(({ cases = "", command = "" }) => [cases, command].map((each) => posix.dirname(each)))
    return [
      words(file),
      ruleLink(firstRule(read(`packages/contract/src/${file}`))),
      code(file),
      list(folded(own.map(({ core = "" }) => core))),
      list(folders),
      list(testFolders([...folders, ...own.map(({ core = "" }) => core)])),
      String(own.length)
    ]
  })
}

const portRows = (ports: readonly PortFiles[]): readonly Cells[] =>
  ports.map(({ port, declared, adapters, suite }) => [
    port,
    code(without("core/src/")(declared)),
    list(adapters.slice(1).map(without("postgres/src/"))),
    list([suite && without("conformance/src/")(suite)])
  ])

export const nouns = async (): Promise<string> =>
  page(
    "Where a noun is",
    "Find the files of a thing by its name. Paths are below `src` of their package. For a thing without an operation or a port, search for its rule: `grep -rn 'secrets#keyring' packages/*/src`.",
    "## Operations",
    "One row for each file of the contract that declares operations. `conformance` is the folder of the cases and of the commands for random sequences, `tests` the folders below `packages/tests`.",
    table(
      ["noun", "rule", "contract", "core", "conformance", "tests", "operations"],
      operationRows(await operationFiles())
    ),
    "## Ports",
    "The in-memory adapter of a port is `core/src/memory/<Port>.ts`. `httpSuite` tests the ports that have no suite of their own.",
    table(["port", "core", "postgres", "suite in conformance"], portRows(await portFiles()))
  )
