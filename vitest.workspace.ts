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
const withDatabases = ["postgres", "node", "conformance"]
const postgres = fileURLToPath(new URL("./packages/conformance/src/stores/postgresGlobalSetup.ts", import.meta.url))

const seed = fileURLToPath(new URL("./vitest.seed.ts", import.meta.url))

const conditions = ["@gatewarden/source", "module", "node", "development|production"]

/** Which tests run: those of `npm test`, or those of `npm run test:deep`. Every test file is in exactly one of both. */
export type Depth = "usual" | "deep"

const deep = "test/deep/**/*.test.ts"

const files: Readonly<Record<Depth, { readonly include: string[]; readonly exclude: string[] }>> = {
  usual: { include: ["test/**/*.test.ts"], exclude: [deep] },
  deep: { include: [deep], exclude: [] }
}

/** One project per package; sources are resolved through the `@gatewarden/source` export condition, so tests need no build. */
export const testsOf = (depth: Depth) =>
  defineConfig({
    ssr: { resolve: { conditions, externalConditions: ["@gatewarden/source"] } },
    resolve: { conditions },
    test: {
      // By default a machine of two cores runs one file at a time, though half of that time is waiting for databases.
      maxWorkers: Math.max(2, availableParallelism() - 1),
      passWithNoTests: true,
      projects: ["contract", "client", "core", "postgres", "node", "conformance"].map((name) => ({
        extends: true as const,
        test: {
          name,
          root: `./packages/${name}`,
          ...files[depth],
          // Nothing of these two keeps anything between files, so that each need not load all modules anew.
          isolate: withDatabases.includes(name),
          setupFiles: [seed],
          globalSetup: withDatabases.includes(name) ? [postgres] : [],
          testTimeout: patienceMillis,
          hookTimeout: patienceMillis
        }
      }))
    }
  })

export default testsOf("usual")
