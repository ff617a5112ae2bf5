/** The files of each port: where it is declared, its adapters, the code that calls it, and its tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { citedBy } from "../citations.ts"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"
import { compact, nameOf } from "./names.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

/** The files of one port, below `packages/`. */
export interface PortFiles {
  readonly port: string
  readonly declared: string
  /** That the comment above its class cites, or else the file. */
  readonly rule: string | undefined
  readonly adapters: readonly string[]
  readonly suite: string | undefined
  /** Files of conformance that cite the rule. */
  readonly cases: readonly string[]
  /** Tests that run the suite, in the folder of its name. */
  readonly calledBy: readonly string[]
  /** Files of `core/src` that call the port. */
  readonly usedBy: readonly string[]
  /** Files of `tests` that run the suite, have the name of the port or of its only caller, or use hardly anything else. */
  readonly tests: readonly string[]
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

/** The rule in the comment above the class, or the first of a file that declares one port. */
const ruleOf = (port: string, file: string): string | undefined => {
  const text = read(`packages/core/src/ports/${file}`)
  const at = text.indexOf(`export class ${port} extends`)
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n$/.exec(text.slice(0, Math.max(at, 0)))?.[0] ?? ""
  const isAlone = text.split("export class ").length === 2
  return [...citedBy(comment), ...(isAlone ? citedBy(text) : [])].find((rule) => rule !== "")
}

/** An adapter lies in the folder of its package that has a file of the port's name. */
const adaptersOf = (port: string): readonly string[] =>
  ["core/src/memory", "postgres/src/adapters"]
    .map((folder) => `${folder}/${port}.ts`)
    .filter((file) => existsSync(`${root}packages/${file}`))

/** Callers of a port import its class. An adapter of a store, and what passes ports on, is none. */
const callersIn = (sources: readonly SourceFile[], port: string): readonly string[] => {
  const imported = new RegExp(`^import \\{[^}]*(?<!type )\\b${port}\\b[^}]*\\} from "(?:\\.\\./)+ports/`, "m")
  return sources
    .filter(({ file, text }) => !/^core\/src\/(?:memory|instance|ports)\//.test(file) && imported.test(text))
    .map(({ file }) => file.slice("core/src/".length))
}

const readTests = (): readonly SourceFile[] =>
  readdirSync(`${root}packages/tests`, { recursive: true })
    .map((file) => String(file).replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && !file.startsWith("node_modules/"))
    .sort()
    .map((file) => ({ file, text: read(`packages/tests/${file}`) }))

const imports = /^import \{([^}]+)\} from "(?:@gatewarden\/core\/(?:store|internal)|[^"]+\/core\/src\/[^"]+)"/gm

/** A test that imports two values from core at most, and of ports this one alone. */
const isOfPort = ({ text }: SourceFile, port: string, ports: readonly string[]): boolean => {
  const lists = Array.from(text.matchAll(imports), ([, names = ""]) => names.replaceAll(/\btype \w+/g, ""))
  const values = lists.join().match(/\w+/g) ?? []
  return values.length <= 2 && values.filter((name) => ports.includes(name)).join() === port
}

export const portFiles = async (): Promise<readonly PortFiles[]> => {
  const core = await sourceFiles("core")
  const allTests = readTests()
  const declared = declaredPorts()
  const ports = declared.map(([port]) => port)
  const conformance = await sourceFiles("conformance")
  const suites = conformance.filter(({ file }) => file.endsWith(".suite.ts"))
  return declared
    .map(([port, file]): PortFiles => {
      const suite = suites.find((each) => posix.basename(each.file, ".suite.ts") === port)
      const [, name = ""] = /^export const (\w+(?:Suite|Agreement))\b/m.exec(suite?.text ?? "") ?? []
      const folder = suite === undefined ? "" : posix.dirname(suite.file).replace("conformance/src/", "tests/")
      const tests = folder === "" ? [] : readdirSync(`${root}packages/${folder}`)
      const calledBy = tests.filter(
        (test) => test.endsWith(".test.ts") && read(`packages/${folder}/${test}`).includes(`{ ${name} }`)
      )
      const usedBy = callersIn(core, port)
      const names = [port, ...(usedBy.length === 1 ? usedBy : [])].map((each) => compact(nameOf(each)))
      const rule = ruleOf(port, file)
      const placeOfRule = ({ text }: SourceFile) => (rule === undefined ? -1 : citedBy(text).indexOf(rule))
      const isTest = (test: SourceFile): boolean =>
        placeOfRule(test) === 0 ||
        names.includes(compact(posix.basename(test.file).split(".")[0] ?? "")) ||
        isOfPort(test, port, ports)
      return {
        port,
        declared: `core/src/ports/${file}`,
        rule,
        adapters: adaptersOf(port),
        suite: suite?.file,
        cases: conformance
          .filter((each) => !each.file.endsWith(".suite.ts") && placeOfRule(each) >= 0)
          .map((each) => each.file),
        calledBy,
        usedBy,
        tests: [
          ...calledBy.map((test) => `${folder.slice("tests/".length)}/${test}`),
          ...allTests.filter(isTest).map(({ file: test }) => test)
        ]
      }
    })
    .sort((a, b) => (a.port < b.port ? -1 : 1))
}

/** Ports that an adapter is missing of, in memory or in SQL. */
export const withoutAdapter = (ports: readonly PortFiles[]): readonly PortFiles[] =>
  ports.filter(({ adapters }) => adapters.length !== 2)
