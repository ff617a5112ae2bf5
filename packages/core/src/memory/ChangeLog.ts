import { Clock, Effect } from "effect"
import { type Change, ChangeLog, maxChanges, pruneBatch } from "../stream/ChangeLog.ts"
import type { Tables } from "./Tables.ts"

export const changeLog = ({ changes }: Tables) => {
  /** How many of the oldest are gone. */
  let gone = 0
  /** How many there had been at a time. Rows bear none, since maps know no clock. */
  const marks: { readonly at: number; readonly count: number }[] = []

  return ChangeLog.of({
    since: (position) =>
      Effect.sync(() => {
        const count = gone + changes.length
        if (position === undefined || Number(position) < gone) return { position: String(count), changes: "everything" }
        const distinct = new Map<string, Change>()
        for (const change of changes.slice(Number(position) - gone))
          distinct.set(`${change.account_id} ${change.topic} ${change.id}`, change)
        return {
          position: String(count),
          changes: distinct.size > maxChanges ? "everything" : [...distinct.values()]
        }
      }),
    prune: (olderThanSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        marks.push({ at: now, count: gone + changes.length })
        const old = marks.filter(({ at }) => at < now - olderThanSeconds * 1_000)
        const upTo = old.at(-1)?.count ?? 0
        marks.splice(0, Math.max(0, old.length - 1))
        const pruned = changes.splice(0, Math.min(pruneBatch, Math.max(0, upTo - gone))).length
        gone += pruned
        return pruned
      }),
    // There is no other process.
    announce: Effect.void,
    hear: () => Effect.void
  })
}
