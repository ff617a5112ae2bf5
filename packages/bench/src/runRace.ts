/** Runs the contenders of a race in turn, so that whatever else the machine does meets all of them alike. */
import type { Contender, Pace, RaceContenders } from "./Measure.ts"
import { median } from "./median.ts"
import { processTime } from "./processorTime.ts"

export interface Ran {
  /** Done per second, the median of the rounds. */
  readonly perSecond: number
  /** Processor time of an operation in microseconds, the median of the rounds; undefined where it cannot be read. */
  readonly processMicros: number | undefined
  readonly databaseMicros: number | undefined
}

export interface RaceResult {
  readonly ours: Ran
  readonly bare: readonly (Ran & { readonly label: string; readonly ratio: number })[]
}

type Reading = () => Promise<number | undefined>

/** Runs a contender once more, and notes what it gave and cost. */
const trial = (contender: Contender, readings: readonly Reading[]) => {
  const rates: number[] = []
  const costs: number[][] = readings.map(() => [])
  return {
    rates,
    run: async (millis: number) => {
      const before = await Promise.all(readings.map((read) => read()))
      const start = performance.now()
      const perSecond = await contender(millis)
      const done = (perSecond * (performance.now() - start)) / 1_000
      rates.push(perSecond)
      for (const [index, read] of readings.entries()) {
        const [first, last] = [before[index], await read()]
        if (first !== undefined && last !== undefined) costs[index]?.push((last - first) / done)
      }
    },
    result: (): Ran => {
      const [processMicros, databaseMicros] = costs.map((all) => (all.length === 0 ? undefined : median(all)))
      return { perSecond: median(rates), processMicros, databaseMicros }
    }
  }
}

/** Ours, bare, ours, bare …; the ratio is the median of the ratios of the rounds. */
export const runRace = async (
  contenders: RaceContenders,
  { warmUpMillis, rounds, roundMillis }: Pace,
  databaseTime: Reading
): Promise<RaceResult> => {
  const readings = (pid = process.pid): readonly Reading[] => [() => processTime(pid), databaseTime]
  const bare = Object.entries(contenders.bare)
  const ours = trial(contenders.ours, readings(contenders.pids?.ours))
  const others = bare.map(([label, contender]) => trial(contender, readings(contenders.pids?.bare[label])))
  for (const contender of [contenders.ours, ...bare.map(([, one]) => one)]) await contender(warmUpMillis)
  for (let round = 0; round < rounds; round++) for (const one of [ours, ...others]) await one.run(roundMillis)
  return {
    ours: ours.result(),
    bare: others.map((one, index) => ({
      ...one.result(),
      label: bare[index]?.[0] ?? "",
      ratio: median(one.rates.map((figure, round) => (ours.rates[round] ?? Number.NaN) / figure))
    }))
  }
}
