import { Clock, Effect, Option } from "effect"
import { type JobState, type JobTurn, BackgroundJobs } from "../ports/backgroundJobs.ts"

interface Row extends JobState {
  readonly token: number
}

export const backgroundJobs = () => {
  const rows = new Map<string, Row>()
  const rowOf = (job: string, now: number): Row => {
    const known = rows.get(job)
    if (known !== undefined) return known
    const fresh = {
      job,
      due_at: now,
      lease_until: null,
      began_at: null,
      succeeded_at: null,
      failures: 0,
      position: null
    }
    const row: Row = { ...fresh, token: 0 }
    rows.set(job, row)
    return row
  }
  const own = ({ job, token }: JobTurn): Row | undefined => {
    const row = rows.get(job)
    return row?.token === token && row.lease_until !== null ? row : undefined
  }
  const freeAt = ({ due_at, lease_until }: Row): number => Math.max(due_at, lease_until ?? due_at)

  return BackgroundJobs.of({
    claim: (jobs, leaseSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = jobs.map((job) => rowOf(job, now)).sort((a, b) => a.due_at - b.due_at)
        const free = known.find((row) => freeAt(row) <= now)
        if (free === undefined) return { turn: undefined, wait_millis: Math.min(...known.map(freeAt)) - now }
        const token = free.token + 1
        rows.set(free.job, { ...free, token, began_at: now, lease_until: now + leaseSeconds * 1_000 })
        return { turn: { job: free.job, token, failures: free.failures } }
      }),
    renew: (turn, leaseSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = own(turn)
        if (row !== undefined) rows.set(turn.job, { ...row, lease_until: now + leaseSeconds * 1_000 })
        return row !== undefined
      }),
    // One process has the tables, so a holder that lives has its lease until it gives it back or lets it end.
    commit: (turn, work) =>
      Effect.gen(function* () {
        const row = own(turn)
        if (row === undefined) return Option.none()
        const done = yield* work(row.position)
        const { position = row.position } = done
        rows.set(turn.job, { ...(rows.get(turn.job) ?? row), position })
        return Option.some(done.value)
      }),
    finish: (turn, { failed, due_in_seconds }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = own(turn)
        if (row === undefined) return false
        rows.set(turn.job, {
          ...row,
          lease_until: null,
          due_at: now + due_in_seconds * 1_000,
          failures: failed ? row.failures + 1 : 0,
          succeeded_at: failed ? row.succeeded_at : now
        })
        return true
      }),
    states: Effect.map(Clock.currentTimeMillis, (now) => ({
      now,
      jobs: [...rows.values()]
        .sort((a, b) => (a.job < b.job ? -1 : 1))
        .map(({ token: _, ...row }) => ({
          ...row,
          lease_until: row.lease_until !== null && row.lease_until > now ? row.lease_until : null
        }))
    }))
  })
}
