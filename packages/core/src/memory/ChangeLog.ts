import { Effect } from "effect"
import { type Change, ChangeLog, maxChanges } from "../ports/changeLog.ts"
import { onSweep } from "./tables/sweeps.ts"
import type { RecordedChange } from "./tables/RecordedChanges.ts"
import type { Tables } from "./tables/Tables.ts"

export const changeLog = (tables: Tables) => {
  const { changes } = tables
  /** The latest that is gone. */
  let gone = 0
  // The oldest of each account's chain, whose end is kept: the seal of the last one that goes.
  onSweep(tables.sweeps, "changes", (before, atMost) => {
    const going = new Set<RecordedChange>()
    for (const chain of tables.auditChains.values()) {
      const oldest = chain.rows.slice(0, atMost - going.size)
      const kept = oldest.findIndex(({ entry }) => Date.parse(entry.at) >= before)
      const swept = chain.rows.splice(0, kept === -1 ? oldest.length : kept)
      chain.pruned = swept.at(-1)?.seal ?? chain.pruned
      for (const row of swept) going.add(row)
    }
    // They are all near the beginning: what is younger than the youngest of them is not gone through.
    let passed = 0
    for (let left = going.size; left > 0; passed++) {
      const row = changes.rows[passed]
      if (row === undefined || !going.has(row)) continue
      gone = Math.max(gone, row.seq)
      left--
    }
    changes.rows.splice(0, passed, ...changes.rows.slice(0, passed).filter((row) => !going.has(row)))
    return going.size
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
