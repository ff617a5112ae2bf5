/** Runs the contenders of a race in turn, so that whatever else the machine does meets all of them alike. */
import type { Contender, Pace, RaceContenders } from "./Measure.ts"
import { median } from "./median.ts"

export interface RaceResult {
  /** Done per second, the median of the rounds. */
  readonly ours: number
  readonly bare: readonly { readonly label: string; readonly perSecond: number; readonly ratio: number }[]
}

/** Ours, bare, ours, bare …; the ratio is the median of the ratios of the rounds. */
export const runRace = async (
  contenders: RaceContenders,
  { warmUpMillis, rounds, roundMillis }: Pace
): Promise<RaceResult> => {
  const bare = Object.entries(contenders.bare)
  const all: readonly Contender[] = [contenders.ours, ...bare.map(([, contender]) => contender)]
  for (const contender of all) await contender(warmUpMillis)
  const figures: number[][] = all.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, contender] of all.entries()) figures[index]?.push(await contender(roundMillis))
  const [ours = [], ...others] = figures
  return {
    ours: median(ours),
    bare: others.map((perSecond, index) => ({
      label: bare[index]?.[0] ?? "",
      perSecond: median(perSecond),
      ratio: median(perSecond.map((figure, round) => (ours[round] ?? Number.NaN) / figure))
    }))
  }
}
