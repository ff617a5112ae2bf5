/** How the in-memory ports forget: each registers what it keeps under the name of the retention table. Rule: operating#retention. */
import type { Retained } from "../../ports/retention.ts"

/** Forgets rows that ended before an instant, in epoch milliseconds, at most so many. Answers how many. */
export type Sweep = (before: number, atMost: number) => number

export type Sweeps = Map<Retained | "expired_holds", Sweep[]>

export const onSweep = (sweeps: Sweeps, what: Retained | "expired_holds", sweep: Sweep): void => {
  sweeps.set(what, [...(sweeps.get(what) ?? []), sweep])
}

/** Forgets the entries of a map that have ended, the oldest entries first. */
export const sweepMap =
  <V>(rows: Map<string, V>, hasEnded: (row: V, before: number) => boolean): Sweep =>
  (before, atMost) => {
    let swept = 0
    for (const [key, row] of rows) {
      if (swept >= atMost) break
      if (!hasEnded(row, before)) continue
      rows.delete(key)
      swept++
    }
    return swept
  }
