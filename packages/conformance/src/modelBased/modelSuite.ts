/** Holds a store to the in-memory store: the same random life on both must give the same answers. */
import { operations } from "@gatewarden/contract"
import type { StorePorts } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { commands } from "./commands.ts"
import { Pair } from "./Pair.ts"
import { Disagreement, Life, type Step, type Tally } from "./Life.ts"
import { requireLayer } from "../stores/storeUnderTest.ts"

const setting = (name: string): number | undefined => {
  const text = process.env[name]
  return text === undefined || text === "" ? undefined : Number(text)
}

const asked = setting("GATEWARDEN_MODEL_RUNS")
/** From so many runs on, every operation must have succeeded somewhere: a command that never does proves nothing. */
const enoughRuns = 500
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31
const stepsPerRun = 30
/** What is not an account's own piles up over the runs; a store is left before its answers grow long. */
const runsPerStore = 50
const shrinkMillis = 120_000

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const wait: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom(1, second, 29 * second, 30 * second, minute - 1, minute, minute + 1) },
    { weight: 3, arbitrary: fc.constantFrom(10 * minute - 1, 10 * minute, 30 * minute, hour, day - 1, day, day + 1) },
    { weight: 1, arbitrary: fc.constantFrom(7 * day, 31 * day) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 5 * minute }) }
  )
  .map((millis) => ({ kind: "wait", millis }))

const repeat: fc.Arbitrary<Step> = fc
  .tuple(
    fc.nat({ max: 9 }),
    // Often enough to meet a rate limit, now and then.
    fc.oneof({ weight: 24, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(31, 61) })
  )
  .map(([back, times]) => ({ kind: "repeat", back, times }))

/** What the operations of a group are tried together with, beside everything else now and then. */
const companions: Readonly<Record<string, readonly string[]>> = {
  Analytics: ["Gateway"],
  Datasets: ["Gateway"],
  Endpoints: ["Gateway"],
  Files: ["BYOK", "Workspaces"],
  Keys: ["Gateway", "Workspaces"],
  SCIM: ["Workspaces", "Keys"]
}
const usualCompanions = ["Workspaces", "Keys"]

const tagOf = new Map(operations.map(({ id, tag }) => [id, tag as string]))

/** Runs whose calls are mostly of one group: many operations of one noun find more than a few of every noun. */
const livesAround = (group: string | undefined): fc.Arbitrary<Step[]> => {
  const friends = companions[group ?? ""] ?? usualCompanions
  const weighted = commands.map(({ operation, weight, call }) => {
    const tag = tagOf.get(operation) ?? ""
    const nearness = group === undefined ? 4 : tag === group ? 24 : friends.includes(tag) ? 8 : 1
    return { weight: weight * nearness, arbitrary: call.map((one): Step => ({ kind: "call", call: one })) }
  })
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  // Of ten steps about eight are calls.
  const others = Math.ceil(total / 8)
  const step = fc.oneof(
    { weight: others, arbitrary: wait },
    { weight: others, arbitrary: repeat },
    { weight: Math.ceil(others / 2), arbitrary: fc.constant<Step>({ kind: "erase" }) },
    ...weighted
  )
  return fc.array(step, { minLength: 1, maxLength: 2 * stepsPerRun - 1, size: "max" })
}

const lives = fc.oneof(...[...new Set(tagOf.values()), undefined].map(livesAround))

const printTally = (tally: Tally): string =>
  [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([operation, outcomes]) => {
      const counts = [...outcomes]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([outcome, count]) => `${outcome}: ${count}`)
      return `${operation}  ${counts.join(", ")}`
    })
    .join("\n")

/** Operations that were never answered with what was asked for. */
const fruitless = (tally: Tally): readonly string[] =>
  commands
    .map(({ operation }) => operation)
    .filter((operation) => ![...(tally.get(operation)?.keys() ?? [])].some((outcome) => outcome.startsWith("2")))

export const modelSuite = (name: string, store: Layer.Layer<StorePorts, unknown>, usualRuns = 25): void => {
  requireLayer(store)
  const runs = asked ?? usualRuns
  const millis = shrinkMillis + runs * 4_000
  describe(`the model on ${name}`, () => {
    it(
      `answers as the memory store does, over ${runs} runs`,
      async () => {
        console.info(`GATEWARDEN_SEED=${seed}`)
        const byOperation = new Map(commands.map((command) => [command.operation, command]))
        let pair: Pair | undefined
        const tally: Tally = new Map()
        let failing = false
        const fresh = async (): Promise<Pair> => {
          await pair?.close()
          return (pair = await Pair.open(store))
        }
        try {
          const details = await fc.check(
            fc.asyncProperty(lives, async (steps) => {
              // What fails is then shrunk on stores that know nothing of earlier runs.
              const current = pair === undefined || failing || pair.executions >= runsPerStore ? await fresh() : pair
              try {
                const life = await Life.begin(current, byOperation, tally)
                await life.live(steps)
              } catch (cause) {
                failing = true
                throw cause
              }
            }),
            { numRuns: runs, seed, interruptAfterTimeLimit: millis, markInterruptAsFailure: true }
          )
          if (asked !== undefined) console.info(printTally(tally))
          if (!details.failed) {
            if (runs >= enoughRuns) assert.deepEqual(fruitless(tally), [])
            return
          }
          const { errorInstance, numRuns, numShrinks, counterexamplePath } = details
          if (errorInstance === null) throw new Error(`only ${numRuns} of ${runs} runs within ${millis} ms`)
          const found = errorInstance instanceof Disagreement ? errorInstance.message : inspect(errorInstance)
          throw new Disagreement(
            `run ${numRuns}, shrunk ${numShrinks} times; again with GATEWARDEN_SEED=${seed} (path ${counterexamplePath})\n${found}`
          )
        } finally {
          await pair?.close()
        }
      },
      millis + 60_000
    )
  })
}
