import { Effect } from "effect"
import { type Change, ChangeLog, maxChanges } from "../stream/ChangeLog.ts"
import { onSweep } from "./tables/sweeps.ts"
import { auditOwner, type Tables } from "./tables/Tables.ts"

export const changeLog = (tables: Tables) => {
  const { changes } = tables
  /** The latest that is gone. */
  let gone = 0
  // The oldest of each account's chain, whose end is kept: the hash of the last one that goes.
  onSweep(tables.sweeps, "changes", (before, atMost) => {
    const kept = new Set<string>()
    let swept = 0
    const rows = changes.rows.filter(({ change, entry, hash, seq }) => {
      const owner = auditOwner(tables, change)
      if (hash === undefined || Date.parse(entry.at) >= before) kept.add(owner)
      if (swept >= atMost || kept.has(owner) || hash === undefined) return true
      tables.auditTails.set(owner, hash)
      gone = Math.max(gone, seq)
      swept++
      return false
    })
    if (swept > 0) changes.rows.splice(0, changes.rows.length, ...rows)
    return swept
  })

  return ChangeLog.of({
    since: (position) =>
      Effect.sync(() => {
        const here = String(changes.count)
        if (position === undefined || Number(position) < gone) return { position: here, changes: "everything" }
        const distinct = new Map<string, Change>()
        const read = changes.rows.findLastIndex(({ seq }) => seq <= Number(position))
        for (const { change } of changes.rows.slice(read + 1)) distinct.set(JSON.stringify(change), change)
        return { position: here, changes: distinct.size > maxChanges ? "everything" : [...distinct.values()] }
      }),
    // There is no other process.
    announce: Effect.void,
    hear: () => Effect.void
  })
}
