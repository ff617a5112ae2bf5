/**
 * Moves recorded usage of the past to ClickHouse, a piece at a time. How far it came is kept there, so that a move which was interrupted
 * goes on, and one that is done finds nothing to do.
 */
import {
  Accounts,
  type HistoryPlace,
  type StorePorts,
  type UsageEvent,
  UsageHistory,
  UsageLog
} from "@gatewarden/core/store"
import { Context, Effect } from "effect"
import { Parameters } from "../connection/Parameters.ts"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { moveTable } from "../schema/statements.ts"
import { insertEvents } from "./forwardUsage.ts"

/** Events of a piece, or some more: as many as one insert. */
const eventsAtOnce = 5_000

/** Behind every event. */
const end: HistoryPlace = { created_at: "9999-12-31T23:59:59.999Z", id: "\u{10ffff}" }
const everything = { start: undefined, end: end.created_at, equal: {}, tag: undefined }

interface Progress {
  readonly events: number
  readonly place: HistoryPlace | undefined
  readonly isDone: boolean
}

const nothing: Progress = { events: 0, place: undefined, isDone: false }

const progressOf = ({ rows }: Clickhouse, account_id: string): Effect.Effect<Progress> => {
  const { bound, text } = new Parameters()
  const query = `SELECT events, created_at, id, is_done FROM ${moveTable} FINAL WHERE account_id = ${text(account_id)}`
  return Effect.map(rows(query, bound), ([row]) =>
    row === undefined
      ? nothing
      : {
          events: Number(row[0]),
          place: { created_at: new Date(Number(row[1])).toISOString(), id: String(row[2]) },
          isDone: row[3] === true
        }
  )
}

const keepProgress = ({ insert }: Clickhouse, account_id: string, { events, place, isDone }: Progress) =>
  insert(
    moveTable,
    ["account_id", "events", "created_at", "id", "is_done"],
    [[account_id, events, Date.parse(place?.created_at ?? end.created_at), place?.id ?? "", isDone]]
  )

export interface MovedUsage {
  /** Events of this call. */
  readonly events: number
  /** All accounts are done. */
  readonly isDone: boolean
}

/** Moves the next piece of the first account that is not done. */
export const moveUsage = Effect.fnUntraced(function* (clickhouse: Clickhouse, ports: Context.Context<StorePorts>) {
  // What is recorded from here on waits, wherever it is dated.
  yield* Context.get(ports, UsageLog).outgoing(0)
  const history = Context.get(ports, UsageHistory)
  for (const { id: account_id } of yield* Context.get(ports, Accounts).list) {
    const progress = yield* progressOf(clickhouse, account_id)
    if (progress.isDone) continue
    const piece: UsageEvent[] = []
    let place = progress.place
    let isDone = false
    while (piece.length < eventsAtOnce && !isDone) {
      const events = yield* history.eventsBetween(account_id, everything, place, end)
      const last = events.at(-1)
      isDone = last === undefined
      piece.push(...events)
      if (last !== undefined) place = { created_at: last.created_at, id: last.id }
    }
    // What was recorded or changed since has a greater version.
    yield* insertEvents(
      clickhouse,
      piece.map((event) => ({ account_id, version: "0", event }))
    )
    // A version of its own: the end of a move has no more events.
    const events = progress.events + piece.length + (isDone ? 1 : 0)
    yield* keepProgress(clickhouse, account_id, { events, place, isDone })
    return { events: piece.length, isDone: false } satisfies MovedUsage
  }
  return { events: 0, isDone: true } satisfies MovedUsage
})
