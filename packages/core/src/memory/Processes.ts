import { Clock, Effect } from "effect"
import { Processes, type RunningProcess } from "../ports/secrets.ts"

interface Row {
  readonly process: RunningProcess
  readonly until: number
}

export const processes = () => {
  const rows = new Map<string, Row>()
  const dropEnded = (now: number): void => {
    for (const [id, { until }] of rows) if (until <= now) rows.delete(id)
  }
  return Processes.of({
    announce: (process, seconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        dropEnded(now)
        const started_at = rows.get(process.id)?.process.started_at ?? new Date(now).toISOString()
        rows.set(process.id, { process: { ...process, started_at }, until: now + seconds * 1_000 })
      }),
    withdraw: (id) => Effect.sync(() => void rows.delete(id)),
    running: Effect.map(Clock.currentTimeMillis, (now) => {
      dropEnded(now)
      return [...rows.values()].map(({ process }) => process)
    })
  })
}
