/** The table of nouns in CONTRIBUTING: what it says is there, and every operation, port and page of rules is in it. */
import { assert, describe, it } from "@effect/vitest"
import { operations } from "@gatewarden/contract"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { anchorsOf } from "./anchorOf.ts"
import { sourceFiles } from "../../src/sourceFiles.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const read = (path: string): Promise<string> => readFile(`${root}${path}`, "utf8")

interface Row {
  readonly noun: string
  /** `page#anchor` */
  readonly rule: string
  /** Paths below `src` of their package; ports without `.ts`. */
  readonly contract: readonly string[]
  readonly core: readonly string[]
  readonly ports: readonly string[]
  readonly conformance: readonly string[]
}

const pathsOf = (cell: string): readonly string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, path = ""]) => path)

const rowsOf = async (): Promise<readonly Row[]> => {
  const [, section = ""] = /^## Where a noun is\n([\s\S]*?)^## /m.exec(await read("CONTRIBUTING.md")) ?? []
  const lines = section.split("\n").filter((line) => line.startsWith("| "))
  return lines.slice(1).map((line) => {
    const [noun = "", rule = "", contract = "", core = "", ports = "", conformance = "", ...more] = line
      .slice(1, -1)
      .split("|")
    assert.deepEqual(more, [], line)
    return {
      noun: noun.trim(),
      rule: /\[([^\]]+)\]/.exec(rule)?.[1] ?? "",
      contract: pathsOf(contract),
      core: pathsOf(core),
      ports: pathsOf(ports),
      conformance: pathsOf(conformance)
    }
  })
}

const fileOf = (port: string): string => `${posix.basename(port)}.ts`

/** The files that stand for a port, below `packages/`. */
const filesOfPort = (port: string): readonly string[] => {
  const folder = /^(?:ledger|stream)\//.exec(port)?.[0] ?? "ports/"
  return [`core/src/${port}.ts`, `core/src/memory/${fileOf(port)}`, `postgres/src/${folder}${fileOf(port)}`]
}

/** The names of the operations, each with the file below `src` that declares, answers or tests it. */
const filesByName = async (name: string, found: RegExp): Promise<ReadonlyMap<string, string>> => {
  const sources = await sourceFiles(name)
  return new Map(
    sources.flatMap(({ file, text }) =>
      Array.from(text.matchAll(found), ([, id = ""]) => [id, file.slice(`${name}/src/`.length)] as const)
    )
  )
}

const isIn = (places: readonly string[], file: string): boolean =>
  places.some((place) => file === place || file.startsWith(`${place}/`))

describe("the table of nouns", () => {
  it("names files and folders that exist", async () => {
    const rows = await rowsOf()
    assert.isAbove(rows.length, 30)
    const named = rows.flatMap(({ contract, core, ports, conformance }) => [
      ...contract.map((path) => `contract/src/${path}`),
      ...core.map((path) => `core/src/${path}`),
      ...ports.flatMap(filesOfPort),
      ...conformance.map((path) => `conformance/src/${path}`)
    ])
    assert.deepEqual(
      named.filter((path) => !existsSync(`${root}packages/${path}`)),
      []
    )
  })

  it("names rules that exist, and every page of rules", async () => {
    const rules = (await rowsOf()).map(({ rule }) => rule.split("#"))
    for (const [page = "", anchor = ""] of rules) {
      const anchors = anchorsOf(await read(`docs/rules/${page}.md`)).map(([, one]) => one)
      assert.include(anchors, anchor, page)
    }
    const pages = (await readdir(`${root}docs/rules`)).map((file) => posix.basename(file, ".md"))
    assert.sameMembers([...new Set(rules.map(([page]) => page)), "README"], pages)
  })

  it("has a row for every port", async () => {
    const [, list = ""] =
      /export type StorePorts =\n((?: {2}\| \w+\n)+)/.exec(await read("packages/core/src/ports.ts")) ?? []
    const ports = Array.from(list.matchAll(/\| (\w+)/g), ([, port = ""]) => port)
    assert.isAbove(ports.length, 30)
    const named = (await rowsOf()).flatMap(({ ports: ofRow }) => ofRow.map((port) => posix.basename(port)))
    assert.sameMembers([...new Set(named)], ports)
  })

  it("has a row for every operation, that says where it is declared, answered and tested", async () => {
    const rows = await rowsOf()
    const declared = await filesByName("contract", /\boperation\(\{\s*id: "(\w+)"/g)
    const commanded = await filesByName("conformance", /\bcommand\("(\w+)"/g)
    const ids: readonly string[] = operations.map(({ id }) => id)
    const cases = (await sourceFiles("conformance")).filter(({ file }) => file.endsWith(".cases.ts"))
    const shared = cases.filter(({ file }) => !ids.includes(posix.basename(file, ".cases.ts")))
    /** A file of its own, or one that it shares with others. */
    const tested = (id: string): string => {
      const own = cases.find(({ file }) => posix.basename(file, ".cases.ts") === id)
      return (own ?? shared.find(({ text }) => text.includes(`"${id}"`)))?.file.slice("conformance/src/".length) ?? ""
    }
    const handlers = await read("packages/core/src/http/handlers.ts")
    const imported = new Map(
      Array.from(handlers.matchAll(/^import \{ ([^}]+) \} from "\.\.\/([^"]+)"/gm)).flatMap(
        ([, names = "", file = ""]) => names.split(", ").map((name): readonly [string, string] => [name, file])
      )
    )
    const answered = (id: string): string => {
      const [, body = ""] = new RegExp(`^  ${id}: ([\\s\\S]*?)(?=^  \\w+: |^\\})`, "m").exec(handlers) ?? []
      const names = [...imported.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
      return imported.get(names.find((name) => name === id) ?? names.at(-1) ?? "") ?? "http/handlers.ts"
    }
    const misplaced = operations.flatMap(({ id }) => {
      const files = {
        contract: declared.get(id) ?? "",
        core: answered(id),
        cases: tested(id),
        command: commanded.get(id) ?? ""
      }
      const isSaid = rows.some(
        (row) =>
          isIn(row.contract, files.contract) &&
          isIn(row.core, files.core) &&
          isIn(row.conformance, files.cases) &&
          isIn(row.conformance, files.command)
      )
      return isSaid ? [] : [{ id, ...files }]
    })
    assert.deepEqual(misplaced, [])
  })

  it("says where the suite of a port is, and the test that calls it", async () => {
    const rows = await rowsOf()
    const suites = (await sourceFiles("conformance")).filter(({ file }) => file.endsWith(".suite.ts"))
    const found = new Set<string>()
    for (const { ports, conformance } of rows)
      for (const port of ports)
        for (const { file, text } of suites) {
          if (posix.basename(file, ".suite.ts") !== posix.basename(port)) continue
          const folder = posix.dirname(file).slice("conformance/src/".length)
          if (!conformance.includes(folder)) continue
          const [, suite = ""] = /^export const (\w+(?:Suite|Agreement))\b/m.exec(text) ?? []
          const tests = await readdir(`${root}packages/conformance/test/${folder}`)
          const texts = await Promise.all(
            tests
              .filter((name) => name.endsWith(".test.ts"))
              .map((name) => read(`packages/conformance/test/${folder}/${name}`))
          )
          assert.isTrue(
            texts.some((one) => one.includes(`{ ${suite} }`)),
            `${suite} is called in test/${folder}`
          )
          found.add(file)
        }
    const ofPorts = suites.filter(({ file }) => /^[A-Z]/.test(posix.basename(file)))
    assert.isAbove(ofPorts.length, 15)
    assert.deepEqual(
      ofPorts.map(({ file }) => file).filter((file) => !found.has(file)),
      []
    )
  })
})
