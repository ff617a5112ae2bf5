/**
 * Runs each test once more for every mutant that it reaches and that no test has noticed yet: in the same process, with its suite's hooks
 * still standing, so that a mutant costs one test and not the start of a run. What it finds is appended to a log, because a mutant may end the
 * process: whoever starts it again skips what the log has.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { Script } from "node:vm"
import { type RunnerTestCase as Test, TestRunner } from "vitest"
import type { Found } from "./Found.ts"

/** What instrumented code reads and writes: `@stryker-mutator/instrumenter` gives it its names. */
interface Switches {
  activeMutant?: string
  currentTestId?: string
  hitCount?: number
  hitLimit?: number
  readonly mutantCoverage?: {
    readonly perTest: Record<string, Record<string, number>>
    /** What was reached outside of a test: while a module loaded, or in a hook. */
    readonly static: Record<string, number>
  }
}

const settings = process.env as { readonly [name: string]: string | undefined }
const log = settings["GATEWARDEN_MUTANTS_LOG"] ?? ""
/** Tests that take longer, in milliseconds, are left to a later round. */
const slowest = Number(settings["GATEWARDEN_MUTANTS_SLOWEST"])
const sampled = new Set((settings["GATEWARDEN_MUTANTS_SAMPLED"] ?? "").split(","))

const global = globalThis as typeof globalThis & {
  __stryker__?: Switches
  mutants?: Record<"noticed" | "reached" | "loaded" | "done", Set<string>>
  calledUnderMutant?: () => unknown
}
const switches = (global.__stryker__ ??= {})

const note = (found: Found): void => appendFileSync(log, `${JSON.stringify(found)}\n`)

const readLog = () => {
  const known = readFileSync(log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Found)
  const all = (kind: Found["kind"]) => new Set(known.flatMap((found) => (found.kind === kind ? [found.of] : [])))
  return { noticed: all("noticed"), reached: all("reached"), loaded: all("loaded"), done: all("done") }
}
const { noticed, reached, loaded, done } = (global.mutants ??= readLog())

/** Of the cases over HTTP, those that the mutated folders decide: the others would take hours. */
const isDecided = ({ file, suite }: Test): boolean =>
  !file.name.startsWith("http/") || /Admission|Explanation|Guardrail|Budget/.test(suite?.name ?? "")

/** Past it, in milliseconds, a mutant counts as noticed: it never ends. */
const longest = (millis: number): number => 500 + 10 * millis

/** Ends a loop without an end, as nothing else in this process could. */
const call = new Script("calledUnderMutant()")

const passes = async (run: () => unknown, millis: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const outcome = await new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), millis)
    setImmediate(async () => {
      try {
        global.calledUnderMutant = run
        await call.runInThisContext({ timeout: Math.ceil(millis) })
        resolve(true)
      } catch {
        resolve(false)
      }
    })
  })
  clearTimeout(timer)
  return outcome
}

export default class MutantRunner extends TestRunner {
  async runTask(test: Test): Promise<void> {
    const run = TestRunner.getTestFn(test)
    // With its suites: tests of several suites have the same name.
    const name = `${test.file.name} > ${test.fullTestName}`
    switches.currentTestId = test.id
    const began = performance.now()
    await run()
    const took = performance.now() - began
    delete switches.currentTestId
    const { [test.id]: hits = {} } = switches.mutantCoverage?.perTest ?? {}
    const noteAll = (kind: "reached" | "loaded", before: Set<string>, hit: Record<string, number>) => {
      for (const of of Object.keys(hit))
        if (sampled.has(of) && !before.has(of)) {
          before.add(of)
          note({ kind, of, by: name })
        }
    }
    noteAll("reached", reached, hits)
    noteAll("loaded", loaded, switches.mutantCoverage?.static ?? {})
    if (took > slowest || done.has(name) || !isDecided(test)) return
    const alive = () => Object.keys(hits).filter((id) => sampled.has(id) && !noticed.has(id))
    if (alive().length > 0 && (await passes(run, longest(took))))
      for (const of of alive()) {
        note({ kind: "begun", of, by: name })
        switches.activeMutant = of
        switches.hitCount = 0
        switches.hitLimit = 1_000 + 10 * (hits[of] ?? 0)
        const isNoticed = !(await passes(run, longest(took)))
        switches.activeMutant = "none"
        if (!isNoticed) continue
        // What it left behind in this process may be why: then the test tells of no further mutant.
        if (!(await passes(run, longest(took)))) {
          note({ kind: "unsure", of, by: name })
          break
        }
        noticed.add(of)
        note({ kind: "noticed", of, by: name })
      }
    done.add(name)
    note({ kind: "done", of: name, by: name })
  }
}
