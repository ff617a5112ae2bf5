/** The arrows of the architecture: who may know whom. */
import { assert, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { posix } from "node:path"
import { type SourceFile, sourceFiles } from "../src/sourceFiles.ts"

interface Import {
  /** The name as written. */
  readonly from: string
  /** Erased when compiled. */
  readonly typeOnly: boolean
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1")

const importsOf = ({ text }: SourceFile): readonly Import[] => {
  const code = withoutComments(text)
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm)
  const dynamic = code.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)
  return [
    ...Array.from(statements, ([, type, from = ""]) => ({ from, typeOnly: type !== undefined })),
    ...Array.from(dynamic, ([, from = ""]) => ({ from, typeOnly: false }))
  ]
}

/** `effect/http` → `effect`, `@gatewarden/core/effect` → `@gatewarden/core`; `undefined` for a file of the same package. */
const packageOf = (from: string): string | undefined => {
  if (from.startsWith(".")) return undefined
  if (from.startsWith("node:")) return "node:"
  return from.split("/", from.startsWith("@") ? 2 : 1).join("/")
}

const known: Readonly<Record<string, readonly string[]>> = {
  contract: ["zod"],
  core: ["@gatewarden/contract", "effect", "re2js", "zod"],
  postgres: ["@effect/sql-pg", "@electric-sql/pglite", "@gatewarden/contract", "@gatewarden/core", "effect", "node:"],
  node: [
    "@effect/platform-node",
    "@gatewarden/contract",
    "@gatewarden/core",
    "@gatewarden/postgres",
    "cli-progress",
    "csv-parse",
    "effect",
    "node:",
    "zod"
  ]
}

const packages = Object.keys(known)
const everywhere = [...packages, "conformance"]

describe("who may know whom", () => {
  for (const name of packages)
    it(`${name} knows ${known[name]?.join(", ")}, and nothing else`, async () => {
      const imported = (await sourceFiles(name)).flatMap((source) =>
        importsOf(source).map(({ from }) => packageOf(from))
      )
      assert.sameMembers(
        [...new Set(imported)].filter((from) => from !== undefined),
        [...(known[name] ?? [])]
      )
    })

  for (const name of packages)
    it(`${name} names in its package.json what it imports`, async () => {
      const manifest = JSON.parse(
        await readFile(new URL(`../../${name}/package.json`, import.meta.url), "utf8")
      ) as Partial<Record<"dependencies" | "peerDependencies", Readonly<Record<string, string>>>>
      const named = { ...manifest.dependencies, ...manifest.peerDependencies }
      const imported = (await sourceFiles(name)).flatMap((source) =>
        importsOf(source).map(({ from }) => packageOf(from))
      )
      assert.deepEqual(
        [...new Set(imported)].filter((from) => from !== undefined && from !== "node:" && !Object.hasOwn(named, from)),
        []
      )
    })

  it("relative imports stay within their package", async () => {
    const outside = (await sourceFiles(...everywhere)).flatMap((source) => {
      const root = source.file.split("/", 2).join("/")
      return importsOf(source)
        .filter(
          ({ from }) => from.startsWith(".") && !posix.join(posix.dirname(source.file), from).startsWith(`${root}/`)
        )
        .map(({ from }) => `${source.file} → ${from}`)
    })
    assert.deepEqual(outside, [])
  })

  it("zod and its core are imported as namespaces: the object z would bring every locale into a bundle", async () => {
    const otherwise = /^\s*(?:import|export)\s+(?!(?:type\s+)?\*\s+as\s+(?:z|core)\s)[^"';]*\sfrom\s+"zod(?:\/[^"]*)?"/m
    const sources = await sourceFiles(...everywhere)
    assert.deepEqual(
      sources.filter(({ text }) => otherwise.test(withoutComments(text))).map(({ file }) => file),
      []
    )
  })

  it("nothing knows the examples", async () => {
    const sources = await sourceFiles(...everywhere)
    assert.deepEqual(
      sources
        .filter((source) => importsOf(source).some(({ from }) => from.includes("examples/")))
        .map(({ file }) => file),
      []
    )
  })
})

/** The first circle of imports that is met, as a list of files that ends where it began. */
const circle = (graph: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): readonly string[] => {
    const met = way.indexOf(file)
    if (met !== -1) return [...way.slice(met), file]
    if (done.has(file)) return []
    for (const next of graph.get(file) ?? []) {
      const found = visit(next, [...way, file])
      if (found.length > 0) return found
    }
    done.add(file)
    return []
  }
  for (const file of graph.keys()) {
    const found = visit(file, [])
    if (found.length > 0) return found
  }
  return []
}

describe("files", () => {
  for (const name of everywhere)
    it(`of ${name} do not import each other in circles`, async () => {
      const graph = new Map(
        (await sourceFiles(name)).map((source) => [
          source.file,
          importsOf(source)
            .filter(({ from, typeOnly }) => from.startsWith(".") && !typeOnly)
            .map(({ from }) => posix.join(posix.dirname(source.file), from))
        ])
      )
      assert.deepEqual(circle(graph), [])
    })

  it("have names that say what is in them", async () => {
    const vague = /^(?:utils?|common|helpers?|misc|shared)$/i
    const files = (await sourceFiles(...everywhere)).map(({ file }) => file)
    assert.deepEqual(
      files.filter((file) =>
        file
          .split("/")
          .slice(2)
          .some((part) => vague.test(part.replace(/\.[jt]s$/, "")))
      ),
      []
    )
  })
})
