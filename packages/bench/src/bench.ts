/**
 * `npm run bench`: every measure beside its bare equivalent, as a table on standard output. Exits with 1 when a gate is
 * missed.
 *
 * `--quick` takes about a minute; `--only TEXT` runs the measures whose name has the text.
 */
import { cpus, totalmem } from "node:os"
import { parseArgs } from "node:util"
import type { Measure, Pace } from "./Measure.ts"
import { measures } from "./measures.ts"
import { type Bench, openBench } from "./openBench.ts"
import { openDatabaseTime } from "./processorTime.ts"
import { type Ran, runRace } from "./runRace.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "" } }
})

const pace: Pace = values.quick
  ? { warmUpMillis: 1_000, rounds: 3, roundMillis: 1_000 }
  : { warmUpMillis: 5_000, rounds: 9, roundMillis: 3_000 }

interface Line {
  readonly cells: readonly string[]
  readonly passed: boolean
}

const verdict = (gated: boolean, met: boolean): string => (gated ? (met ? "met" : "MISSED") : met ? "met" : "missed")

const digits = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString("en") : value.toPrecision(3)

/** What an operation costs the process, and PostgreSQL where it asks that. */
const costOf = ({ processMicros, databaseMicros }: Ran): string => {
  const micros = [processMicros, databaseMicros].filter((one) => one !== undefined && one >= 0.5)
  return micros.length === 0 ? "" : ` (${micros.map((one) => digits(one ?? 0)).join(" + ")} µs)`
}

const lineOf = async (
  measure: Measure,
  bench: Bench,
  databaseTime: () => Promise<number | undefined>
): Promise<readonly Line[]> => {
  if (measure.kind === "reading") {
    const { name, unit, atMost, atLeast, gated } = measure
    const { value, bare } = await measure.read(bench)
    const met = value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity)
    const bound = atMost ?? atLeast
    const asked = gated ? `at ${atMost === undefined ? "least" : "most"}` : "aim"
    const aim = bound === undefined ? "" : `${asked} ${bound} ${unit}`
    const beside = bare === undefined ? "" : `${digits(bare)} ${unit}`
    const ratio = bare === undefined ? "" : (value / bare).toFixed(2)
    return [
      {
        cells: [name, `${digits(value)} ${unit}`, beside, ratio, aim, bound === undefined ? "" : verdict(gated, met)],
        passed: met || !gated
      }
    ]
  }
  const contenders = await measure.open(bench)
  try {
    const { share = 1 } = measure
    const paced = { ...pace, warmUpMillis: pace.warmUpMillis * share, roundMillis: pace.roundMillis * share }
    const result = await runRace(contenders, paced, databaseTime)
    const fastest = Math.max(...result.bare.map(({ perSecond }) => perSecond))
    return result.bare.map(({ label, ratio, ...ran }, index) => {
      const { perSecond } = ran
      const gated = contenders.gated === undefined ? perSecond === fastest : label === contenders.gated
      const met = ratio >= measure.atLeast
      return {
        cells: [
          index === 0 ? measure.name : "",
          index === 0 ? `${digits(result.ours.perSecond)}/s${costOf(result.ours)}` : "",
          `${digits(perSecond)}/s ${label}${costOf(ran)}`,
          ratio.toFixed(2),
          gated ? `at least ${measure.atLeast}` : "",
          gated ? verdict(true, met) : ""
        ],
        passed: met || !gated
      }
    })
  } finally {
    await contenders.close()
  }
}

const header = ["measure", "Gatewarden", "bare", "ratio", "asked", ""]

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`

const bench = await openBench()
let passed = true
try {
  const databaseTime = await openDatabaseTime(bench.databaseUrl)
  process.stdout.write(
    `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, ` +
      `Node ${process.version}, ${bench.version}\n` +
      `${pace.rounds} rounds of ${pace.roundMillis / 1000} s each; a ratio is the median of the ratios of the rounds\n` +
      "in parentheses: processor time of an operation, in the process and in PostgreSQL\n\n" +
      row(header) +
      row(header.map(() => "---"))
  )
  for (const measure of measures.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase())))
    for (const line of await lineOf(measure, bench, databaseTime)) {
      process.stdout.write(row(line.cells))
      passed &&= line.passed
    }
} finally {
  await bench.close()
}
process.exitCode = passed ? 0 : 1
