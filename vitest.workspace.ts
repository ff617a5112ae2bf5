import { readFileSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { PluginOption, Rollup } from "vite"
import { type ViteUserConfig, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

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

/** How long a test or a hook may take on a machine that does other things too: past it, it will not end. The slowest take half of it there. */
const patienceMillis = { rules: 20_000, others: 60_000, deep: 120_000 }

const postgres = fileURLToPath(new URL("./packages/testkit/src/stores/postgresGlobalSetup.ts", import.meta.url))

const seed = fileURLToPath(new URL("./vitest.seed.ts", import.meta.url))

/** Whether the packages are tested as they were compiled, which loads in less time, or from their sources, without a build. */
const built = process.env["GATEWARDEN_TEST_BUILT"] === "1"

/** Either way module by module, as tests import them: in a bundle each would exist once more. */
const form = built ? "@gatewarden/compiled" : "@gatewarden/source"

const conditions = [form, "module", "node", "development|production"]

/** Leads the tests' own imports of sources to what was built of them: a module that were loaded in both forms would exist twice. */
const builtModules = {
  name: "built-modules",
  enforce: "pre" as const,
  async resolveId(this: Rollup.PluginContext, source: string, importer: string | undefined) {
    if (importer === undefined) return null
    const found = await this.resolve(source, importer, { skipSelf: true })
    const [, folder, path] = /^(.*\/packages\/\w+)\/src\/(.*)\.ts$/.exec(found?.id ?? "") ?? []
    return folder === undefined ? found : { id: `${folder}/dist/${path}.js`, external: true }
  }
}

/**
 * Which tests run: those of `npm run test:all`, or those of `npm run test:deep`. Every test file is in exactly one of both. `npm test` has
 * part of the first: on the memory store and PostgreSQL, without other hosts and processes.
 */
export type Depth = "quick" | "usual" | "deep"

interface Files {
  readonly name: string
  readonly include: string[]
  readonly exclude: string[]
  readonly isolate: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** The HTTP suites take minutes: begun last, one of them would run alone. */
const isLong = ({ moduleId }: TestSpecification): boolean => /\/http\.\w+(?:\.deep)?\.test\.ts$/.test(moduleId)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const deep = "**/*.deep.test.ts"

/** Folders of rules that need no store: no PostgreSQL starts for them. */
const pure = [
  "byok",
  "cache",
  "catalog",
  "contract",
  "decision",
  "filter",
  "ledger",
  "memory",
  "destination",
  "policy",
  "request",
  "value"
]
/** Hosts replace what is global, such as `Request`, and would do so for the files after them. */
const alone = ["hosts/hosts.test.ts", "hosts/http.hosts.test.ts"]

const tests = fileURLToPath(new URL("./packages/tests/", import.meta.url))

const testFiles = readdirSync(tests, { encoding: "utf8", recursive: true })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts"))

const textOf = (path: string): string => readFileSync(join(tests, path), "utf8")

/** Also in these folders, a test that compares SQL with a rule needs the engines. */
const ofPure = testFiles.filter(
  (path) => pure.includes(path.split("/")[0] ?? "") && !/\bemptyEngines\b/.test(textOf(path))
)

/** The files whose tests ask every store: the deep run asks a host's pool, too. */
const ofEveryStore = testFiles.filter(
  (path) => !path.endsWith(".deep.test.ts") && /\b(?:everyStore|forEachStore)\b/.test(textOf(path))
)

/**
 * What starts a process, another host or the example gateway, asks everything of another store again, or concerns the database's own workings,
 * the documents and the kit of the tests.
 */
const beyondQuick = [
  "apiPage/**",
  "cli/**",
  "clients/**",
  "doctor/**",
  "documents/**",
  "filter/embedded.test.ts",
  "gateway/**",
  "hosts/**",
  "http/fuzz.test.ts",
  "http/*.pglite.test.ts",
  "http/*.postgres.test.ts",
  "modelBased/**",
  "postgres/**",
  "stream/declaredChanges.test.ts",
  "testkit/**",
  "vault/canaries.test.ts"
]

/** Only what must have its modules to itself loads them anew: that took a tenth of a run. */
const projects: Readonly<Record<Depth, readonly Files[]>> = {
  quick: [
    { name: "rules", include: ofPure, exclude: [deep, ...beyondQuick], isolate: false },
    {
      name: "tests",
      include: ["**/*.test.ts"],
      exclude: [deep, ...ofPure, ...beyondQuick],
      isolate: false,
      env: { GATEWARDEN_TEST_QUICK: "1" }
    }
  ],
  usual: [
    { name: "rules", include: ofPure, exclude: [deep], isolate: false },
    { name: "tests", include: ["**/*.test.ts"], exclude: [deep, ...ofPure, ...alone], isolate: false },
    { name: "hosts", include: alone, exclude: [], isolate: true }
  ],
  deep: [
    { name: "deep", include: [deep], exclude: [], isolate: true },
    { name: "pool", include: ofEveryStore, exclude: [], isolate: false, env: { GATEWARDEN_TEST_POOL: "1" } }
  ]
}

const patienceOf = (depth: Depth, project: string): number =>
  depth === "deep" ? patienceMillis.deep : project === "rules" ? patienceMillis.rules : patienceMillis.others

const tags = [
  {
    name: "deep",
    timeout: patienceMillis.deep,
    description: "Takes seconds: npm run test:deep has it, the other runs have not."
  }
]

export const testsOf = (depth: Depth) =>
  defineConfig({
    plugins: built ? [builtModules] : [],
    ssr: { resolve: { conditions, externalConditions: conditions } },
    resolve: { conditions },
    test: {
      // One more than there are cores: a file waits for databases, processes and timeouts a fifth of its time.
      maxWorkers: availableParallelism() + 1,
      tags,
      passWithNoTests: true,
      sequence: { sequencer: LongestFirst },
      projects: projects[depth].map((files) => ({
        extends: true as const,
        test: {
          ...files,
          root: "./packages/tests",
          setupFiles: [seed],
          globalSetup: files.name === "rules" ? [] : [postgres],
          testTimeout: patienceOf(depth, files.name),
          hookTimeout: patienceOf(depth, files.name),
          server: { deps: { external: [/\/packages\/\w+\/dist\//] } }
        }
      }))
    }
  })

/** Tests beside the mutated rules come first, then other rules, then the stores. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const distance = ({ moduleId }: TestSpecification): number => {
      if (!ofPure.some((path) => moduleId.endsWith(`/tests/${path}`))) return 2
      return /\/tests\/(?:ledger|limits|platform|policy|value)\//.test(moduleId) ? 0 : 1
    }
    return files.toSorted((a, b) => distance(a) - distance(b))
  }
}

/**
 * The tests of `npm run mutants`, one after the other in one process: of rules, and on the memory store those whose answers the mutated folders
 * decide.
 */
export const mutatedTests = ({
  plugins,
  runner,
  env
}: {
  readonly plugins: PluginOption[]
  readonly runner: string
  readonly env: Record<string, string>
}): ViteUserConfig => ({
  plugins,
  ssr: { resolve: { conditions, externalConditions: conditions } },
  resolve: { conditions },
  test: {
    root: "./packages/tests",
    include: [...ofPure, "{admission,guardrail,limits,platform}/*.test.ts", "http/http.memory.test.ts"],
    exclude: [deep],
    isolate: false,
    // A kept module has the mutants of another run, under its numbers.
    fsModuleCache: false,
    maxWorkers: 1,
    execArgv: ["--max-old-space-size=1536"],
    runner,
    env,
    tags,
    dangerouslyIgnoreUnhandledErrors: true,
    reporters: ["dot"],
    setupFiles: [seed],
    globalSetup: [postgres],
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    server: { deps: { external: [/\/packages\/\w+\/dist\//] } }
  }
})

export default testsOf("usual")
