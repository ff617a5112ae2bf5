import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// vitest 5 groups failures with `Map.groupBy`, which Node 20 lacks: without it a failing run ends before it says what failed.
if (!("groupBy" in Map))
  Object.defineProperty(Map, "groupBy", {
    configurable: true,
    value: <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
      const groups = new Map<K, T[]>()
      let index = 0
      for (const item of items) {
        const key = keyOf(item, index++)
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [item])
        else group.push(item)
      }
      return groups
    }
  })

/** How long a test or a hook may take on a machine that does other things too: past it, it will not end. */
const patienceMillis = 300_000

/** These projects need databases; they share one PostgreSQL, which runs only when one of them does. */
const withDatabases = ["postgres", "node", "conformance", "hosts"]
const postgres = fileURLToPath(new URL("./packages/conformance/src/stores/postgresGlobalSetup.ts", import.meta.url))

const seed = fileURLToPath(new URL("./vitest.seed.ts", import.meta.url))

const conditions = ["@gatewarden/source", "module", "node", "development|production"]

/** Which tests run: those of `npm test`, or those of `npm run test:deep`. Every test file is in exactly one of both. */
export type Depth = "usual" | "deep"

interface Files {
  readonly name: string
  readonly root: string
  readonly include: string[]
  readonly exclude: string[]
  readonly isolate: boolean
}

const packages = ["contract", "client", "core", "postgres", "node", "conformance"]

const deep = "test/deep/**/*.test.ts"

/** Hosts replace what is global, such as `Request`, and would do so for the files after them. */
const alone = ["test/hosts/hosts.test.ts", "test/hosts/http.{hosts,mounts,next}.test.ts"]

/** One project per package. Only what must have its modules to itself loads them anew: that took a tenth of a run. */
const projects: Readonly<Record<Depth, readonly Files[]>> = {
  usual: [
    ...packages.map((name) => ({
      name,
      root: `./packages/${name}`,
      include: ["test/**/*.test.ts"],
      exclude: [deep, ...alone],
      isolate: false
    })),
    { name: "hosts", root: "./packages/conformance", include: alone, exclude: [], isolate: true }
  ],
  deep: packages.map((name) => ({ name, root: `./packages/${name}`, include: [deep], exclude: [], isolate: true }))
}

/** Sources are resolved through the `@gatewarden/source` export condition, so that tests need no build. */
export const testsOf = (depth: Depth) =>
  defineConfig({
    ssr: { resolve: { conditions, externalConditions: ["@gatewarden/source"] } },
    resolve: { conditions },
    test: {
      // One more than there are cores: a file waits for databases, processes and timeouts a fifth of its time.
      maxWorkers: availableParallelism() + 1,
      passWithNoTests: true,
      projects: projects[depth].map((files) => ({
        extends: true as const,
        test: {
          ...files,
          setupFiles: [seed],
          globalSetup: withDatabases.includes(files.name) ? [postgres] : [],
          testTimeout: patienceMillis,
          hookTimeout: patienceMillis
        }
      }))
    }
  })

export default testsOf("usual")
