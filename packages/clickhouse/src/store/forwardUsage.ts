/**
 * Events that another store recorded, on their way to ClickHouse: at least once, and counted once.
 *
 * They wait in the store that recorded them until ClickHouse has acknowledged them. Whoever is interrupted in between leaves them waiting,
 * and what is sent again replaces its like.
 */
import type { OutgoingEvent, UsageEvent, UsageLog } from "@gatewarden/core/internal"
import { Effect, Semaphore } from "effect"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { eventTable, versionColumn } from "../schema/statements.ts"
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

export const insertEvents = ({ insert }: Clickhouse, events: readonly VersionedEvent[]): Effect.Effect<void> =>
  events.length === 0
    ? Effect.void
    : insert(
        eventTable,
        insertedColumns,
        events.map(({ account_id, version, event }) => rowOf(account_id, version, event))
      )

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
