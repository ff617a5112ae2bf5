/**
 * Events that another store recorded, on their way to ClickHouse: at least once, and counted once.
 *
 * They wait in the store that recorded them until ClickHouse has acknowledged them. Whoever is interrupted in between leaves them waiting,
 * and what is sent again replaces its like.
 */
import { type OutgoingEvent, type UsageEvent, type UsageLog, dayMillis } from "@gatewarden/core/internal"
import { Clock, Effect, Semaphore } from "effect"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { dayTable, eventTable, versionColumn } from "../schema/statements.ts"
import { type Cell, usageColumns } from "../schema/usageColumns.ts"

/** Events of one insert: large enough for parts that need little merging, small enough for the memory of a process. */
const eventsAtOnce = 5_000

const insertedColumns = ["account_id", versionColumn, ...usageColumns.map(({ name }) => name)]

const rowOf = (account_id: string, version: string, event: UsageEvent): readonly Cell[] => [
  account_id,
  version,
  ...usageColumns.map(({ write }) => write(event))
]

export interface VersionedEvent {
  readonly account_id: string
  /** An integer: of two of an event, the greater one's counts. */
  readonly version: string
  readonly event: UsageEvent
}

const dayOf = (instant: string): number => Math.floor(Date.parse(instant) / dayMillis) * dayMillis

/** Tells that the sums of the days of events are no longer theirs. */
const markDays = Effect.fnUntraced(function* ({ insert }: Clickhouse, events: readonly VersionedEvent[]) {
  const now = yield* Clock.currentTimeMillis
  const days = new Map<string, readonly Cell[]>()
  for (const { account_id, event } of events) {
    const day = dayOf(event.created_at)
    days.set(`${account_id} ${day}`, [account_id, day, 1, now])
  }
  yield* insert(dayTable, ["account_id", "day", "marked", "marked_at"], [...days.values()])
})

/** Whoever is interrupted between the two sends the events again, and marks their days then. */
export const insertEvents = (clickhouse: Clickhouse, events: readonly VersionedEvent[]): Effect.Effect<void> =>
  events.length === 0
    ? Effect.void
    : clickhouse
        .insert(
          eventTable,
          insertedColumns,
          events.map(({ account_id, version, event }) => rowOf(account_id, version, event))
        )
        .pipe(Effect.andThen(markDays(clickhouse, events)))

const versioned = ({ account_id, position, event }: OutgoingEvent): readonly VersionedEvent[] =>
  event === null ? [] : [{ account_id, version: position, event }]

export interface Forwarding {
  /** Sends some of what waits and answers how many; 0 when nothing waits. */
  readonly forward: Effect.Effect<number>
  /** Sends what waits, until nothing does that was recorded before the call. */
  readonly upToDate: Effect.Effect<void>
}

export const forwardUsage = (clickhouse: Clickhouse, log: typeof UsageLog.Service): Forwarding => {
  // One at a time in a process: others would send the same events.
  const turns = Semaphore.makeUnsafe(1)
  const forward = turns.withPermits(1)(
    Effect.gen(function* () {
      const waiting = yield* log.outgoing(eventsAtOnce)
      if (waiting.length === 0) return 0
      yield* insertEvents(clickhouse, waiting.flatMap(versioned))
      yield* log.forgetOutgoing(waiting.map(({ position }) => position))
      return waiting.length
    })
  )
  return {
    forward,
    upToDate: Effect.asVoid(Effect.repeat(forward, { while: (sent) => sent === eventsAtOnce }))
  }
}
