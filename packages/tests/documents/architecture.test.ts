/** The arrows of the architecture: who may know whom. */
import { assert, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { posix } from "node:path"
import { type SourceFile, sourceFiles } from "@gatewarden/testkit/sourceFiles"

interface Import {
  /** The name as written. */
  readonly from: string
  /** Erased when compiled. */
  readonly typeOnly: boolean
  /** Loaded together with the file, not when it is called for. */
  readonly isLoaded: boolean
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1")

const importsOf = ({ text }: SourceFile): readonly Import[] => {
  const code = withoutComments(text)
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm)
  const dynamic = code.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)
  return [
    ...Array.from(statements, ([, type, from = ""]) => ({
      from,
      typeOnly: type !== undefined,
      isLoaded: type === undefined
    })),
    ...Array.from(dynamic, ([, from = ""]) => ({ from, typeOnly: false, isLoaded: false }))
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
  client: ["@gatewarden/contract", "zod"],
  core: ["@gatewarden/contract", "effect", "jose", "re2js", "uuid", "zod"],
  postgres: ["@effect/sql-pg", "@electric-sql/pglite", "@gatewarden/contract", "@gatewarden/core", "effect", "node:"],
  clickhouse: ["@clickhouse/client", "@gatewarden/contract", "@gatewarden/core", "effect"],
  node: [
    "@effect/platform-node",
    "@gatewarden/clickhouse",
    "@gatewarden/contract",
    "@gatewarden/core",
    "@gatewarden/postgres",
    "csv-parse",
    "effect",
    "hyparquet",
    "hyparquet-compressors",
    "hyparquet-writer",
    "node:",
    "nodemailer",
    "zod"
  ]
}

const packages = Object.keys(known)
const everywhere = [...packages, "conformance", "testkit", "bench"]

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

interface Arrow {
  readonly from: string
  readonly to: string
}

/** Every import between folders of a package, types included, as paths below its `src`. */
const arrowsOf = async (name: string): Promise<readonly Arrow[]> => {
  const root = `${name}/src/`
  return (await sourceFiles(name)).flatMap((source) =>
    importsOf(source)
      .filter(({ from }) => from.startsWith("."))
      .map(({ from }) => ({
        from: source.file.slice(root.length),
        to: posix.join(posix.dirname(source.file), from).slice(root.length)
      }))
  )
}

/** Every module that one of core loads, and the packages that these import. */
const loadedBy = async (first: string): Promise<readonly string[]> => {
  const sources = new Map((await sourceFiles("core")).map((source) => [source.file, source]))
  const loaded = new Set<string>()
  const load = (file: string): void => {
    const source = sources.get(file)
    if (loaded.has(file) || source === undefined) return
    loaded.add(file)
    for (const { from, isLoaded } of importsOf(source)) {
      if (!isLoaded) continue
      if (from.startsWith(".")) load(posix.join(posix.dirname(file), from))
      else loaded.add(from)
    }
  }
  load(first)
  return [...loaded]
}

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

describe("folders", () => {
  for (const name of ["core", "node", "postgres"])
    it(`of ${name} do not import each other in circles, types included`, async () => {
      const graph = new Map<string, string[]>()
      for (const { from, to } of await arrowsOf(name)) {
        const [above, below] = [posix.dirname(from), posix.dirname(to)]
        if (above !== below) graph.set(above, [...(graph.get(above) ?? []), below])
      }
      assert.isAtLeast(graph.size, 8)
      assert.deepEqual(circle(graph), [])
    })

  it("of core that lie below the ports are pure or of the platform", async () => {
    const below = (await arrowsOf("core"))
      .filter(({ from }) => from.startsWith("ports/"))
      .map(({ to }) => posix.dirname(to))
    assert.sameMembers(
      [...new Set(below)].filter((folder) => folder !== "ports"),
      ["catalog", "request", "value", "vault"]
    )
  })

  it("of core are not loaded by its first door on Node until an instance is made", async () => {
    assert.sameMembers(
      [...(await loadedBy("core/src/lazyIndex.ts"))],
      [
        "core/src/lazyIndex.ts",
        "core/src/ports/storeLayer.ts",
        "core/src/hosting/GatewardenRefusal.ts",
        "core/src/preset/mergePreset.ts",
        "core/src/instance/toNextHandlers.ts"
      ]
    )
  })

  it("of core load effect/http, a hundred modules, for Effect hosts alone", async () => {
    const eager = [
      "core/src/instance/createGatewarden.ts",
      "core/src/memory/memoryStore.ts",
      "core/src/store.ts",
      "core/src/internal.ts"
    ]
    for (const file of eager) assert.notInclude(await loadedBy(file), "effect/http", file)
    assert.include(await loadedBy("core/src/effect.ts"), "effect/http")
  })

  it("of the domain know nothing of HTTP or of hosts", async () => {
    const outside = /^(?:http|hosting|instance)\//
    assert.deepEqual(
      (await arrowsOf("core")).filter(({ from, to }) => from.includes("/") && !outside.test(from) && outside.test(to)),
      []
    )
  })
})

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
