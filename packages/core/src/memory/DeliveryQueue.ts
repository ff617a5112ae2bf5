import { Clock, Effect, Option } from "effect"
import {
  type Acknowledgement,
  type BatchLimits,
  type DeliveryAttempt,
  DeliveryQueue,
  type DeliveryState,
  type DeliveryLease,
  type WaitingDestinations,
  type WaitingEvent,
  keptAttempts,
  refusalsUntilRefusing
} from "../ports/deliveries.ts"
import { weighBody } from "../delivery/withoutMedia.ts"
import { takeFairly } from "../ports/limits.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { compareText } from "../value/text.ts"
import type { DeliveryRow } from "./tables/deliveryRows.ts"
import type { StreamedEvent } from "./tables/DeliveryStream.ts"
import { onSweep } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"

/** Of the fields of an event that may be long. */
const weightOf = (event: UsageEvent | undefined): number =>
  event === undefined || (event.trace === null && event.classifiers === null)
    ? 0
    : weighBody([event.trace, event.classifiers], Number.POSITIVE_INFINITY)

/** Rows that are looked at for one batch. */
const scanned = 2_000

export const deliveryQueue = (tables: Tables) => {
  const { deliveries, deadLetters, deliveryRows: rows } = tables

  const own = ({ destination_id, token }: DeliveryLease): DeliveryRow | undefined => {
    const row = rows.get(destination_id)
    return row?.token === token && row.lease_until !== null ? row : undefined
  }
  const put = (row: DeliveryRow): void => void rows.set(row.destination_id, row)
  const stored = (destination_id: string) => tables.destinations.get(destination_id)

  const receives = ({ destination_id, workspace_id }: DeliveryRow): boolean =>
    stored(destination_id)?.destination.enabled === true &&
    tables.workspaces.get(workspace_id)?.is_observability_broadcast_enabled !== false

  const noticeFor = (destination_id: string, { seq, account_id, workspace_id }: StreamedEvent, now: number): void => {
    const known = rows.get(destination_id)
    const fresh = {
      delivered: 0,
      dead: 0,
      failures: 0,
      failing_since: null,
      is_open: false,
      due_at: null,
      refusals: 0,
      refusing_since: null
    }
    const unanswered = { last_at: null, last_status: null, last_message: null, delivered_at: null }
    const unclaimed = { token: 0, lease_until: null, attempts: 0 }
    const row: DeliveryRow = known ?? {
      ...{ destination_id, account_id, workspace_id, ...fresh, ...unanswered, ...unclaimed },
      position: seq - 1,
      head: seq
    }
    put({ ...row, head: Math.max(row.head, seq), due_at: row.due_at ?? now })
  }

  /** Waits for another destination, which exists and has not passed it. */
  const isAwaited = ({ destinations, seq }: StreamedEvent, by: string): boolean =>
    destinations.some(
      (id) => id !== by && stored(id) !== undefined && (rows.get(id)?.position ?? Number.NEGATIVE_INFINITY) < seq
    )

  const waitingOf = (row: StreamedEvent): WaitingEvent | undefined => {
    const event = tables.usageEvents.get(row.account_id)?.get(row.event_id)
    if (event === undefined) return undefined
    const api_key_name = tables.apiKeys.get(event.api_key_hash ?? "")?.name ?? null
    return {
      position: String(row.seq),
      waiting_since: row.recorded_at,
      event,
      api_key_name,
      sealed_bodies: row.sealed_bodies
    }
  }

  const batchOf = (row: DeliveryRow, after: number, limits: BatchLimits) => {
    const events: WaitingEvent[] = []
    // Where nothing of the destination is left up to the head, the head: rows that lay before it may be gone.
    let position: number | null = row.head > after ? row.head : null
    let last: number | null = null
    let bytes = 0
    let looked = 0
    let own = 0
    for (const streamed of deliveries.after(after)) {
      if (streamed.seq > row.head) break
      if (looked >= scanned) {
        position = last
        break
      }
      if (streamed.workspace_id === row.workspace_id) {
        looked++
        if (streamed.destinations.includes(row.destination_id)) {
          const waiting = waitingOf(streamed)
          bytes += (streamed.sealed_bodies?.length ?? 0) + weightOf(waiting?.event)
          if (own >= limits.events || (own > 0 && bytes > limits.bytes)) {
            position = last
            break
          }
          own++
          if (waiting !== undefined) events.push(waiting)
        }
        last = streamed.seq
      }
    }
    return { receives: receives(row), events, position: position === null ? null : String(position) }
  }

  const isErased = (account_id: string, event_id: string): boolean => {
    const event = tables.usageEvents.get(account_id)?.get(event_id)
    return [...tables.erasures.values()].some(
      (erasure) =>
        erasure.account_id === account_id &&
        (erasure.pseudonym === event?.user_id || erasure.pseudonym === event?.external_user)
    )
  }

  onSweep(tables.sweeps, "deliveries", (before, atMost) => {
    let swept = 0
    for (const row of deliveries.after(0)) {
      if (swept >= atMost || row.recorded_at >= before) break
      deliveries.remove(row.seq)
      swept++
    }
    return swept
  })

  const note = (row: DeliveryRow, attempt: DeliveryAttempt, ended_at: number): void => {
    const kept = tables.deliveryAttempts.get(row.destination_id) ?? []
    const logged = { ...attempt, number: row.attempts + 1, ended_at }
    tables.deliveryAttempts.set(row.destination_id, [...kept, logged].slice(-keptAttempts))
  }

  const acknowledge = (
    row: DeliveryRow,
    { position, accepted, dead, answer, attempt }: Acknowledgement,
    until: number,
    now: number
  ) => {
    const to = Number(position)
    const recovered =
      accepted > 0
        ? { failures: 0, failing_since: null, is_open: false, delivered_at: now, refusals: 0, refusing_since: null }
        : {}
    const isRefused = accepted === 0 && answer !== undefined && dead.length > 0
    const refused = isRefused ? { refusals: row.refusals + dead.length, refusing_since: row.refusing_since ?? now } : {}
    if (attempt !== undefined) note(row, attempt, now)
    const said = answer === undefined ? {} : { last_at: now, last_status: answer.status, last_message: answer.message }
    put({
      ...row,
      ...recovered,
      ...refused,
      ...said,
      position: Math.max(row.position, to),
      lease_until: until,
      delivered: row.delivered + accepted,
      dead: row.dead + dead.length,
      attempts: row.attempts + (attempt === undefined ? 0 : 1)
    })
    const { destination_id, account_id, workspace_id } = row
    for (const letter of dead) {
      // What was read of an event before its person was erased is not kept.
      const about = isErased(account_id, letter.event_id) ? { sealed_bodies: null } : {}
      deadLetters.set(`${destination_id} ${letter.event_id}`, {
        ...letter,
        ...about,
        ...{ destination_id, account_id, workspace_id, died_at: now }
      })
    }
    for (const streamed of deliveries.after(row.position)) {
      if (streamed.seq > to) break
      const isOwn = streamed.workspace_id === workspace_id && streamed.destinations.includes(destination_id)
      if (isOwn && !isAwaited(streamed, destination_id)) deliveries.remove(streamed.seq)
    }
  }

  const waitingDestinations = (): readonly WaitingDestinations[] => {
    const byType = new Map<string, WaitingDestinations>()
    for (const { destination_id, due_at, failures, is_open, refusals } of rows.values()) {
      const type = stored(destination_id)?.destination.type
      const isRefusing = refusals >= refusalsUntilRefusing
      if (type === undefined || (due_at === null && !isRefusing)) continue
      const known = byType.get(type) ?? { type, waiting: 0, failing: 0, open: 0, refusing: 0 }
      const waits = due_at !== null
      byType.set(type, {
        type,
        waiting: known.waiting + (waits ? 1 : 0),
        failing: known.failing + (waits && failures > 0 ? 1 : 0),
        open: known.open + (waits && is_open ? 1 : 0),
        refusing: known.refusing + (isRefusing ? 1 : 0)
      })
    }
    return [...byType.values()].sort((a, b) => compareText(a.type, b.type))
  }

  return DeliveryQueue.of({
    notice: (position, limit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        let noticed = 0
        let last = position
        for (const row of deliveries.after(Number(position ?? 0))) {
          if (noticed >= limit) break
          for (const id of row.destinations) {
            const known = rows.get(id)
            if (known === undefined || known.head < row.seq) noticeFor(id, row, now)
          }
          last = String(row.seq)
          noticed++
        }
        return { position: last, noticed }
      }),
    claim: (wanted, leaseSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const free = [...rows.values()]
          .filter(({ due_at, lease_until }) => due_at !== null && due_at <= now && (lease_until ?? now) <= now)
          .sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0))
        const claimed = [
          ...takeFairly(
            free.filter(({ is_open }) => !is_open),
            wanted.closed
          ),
          ...takeFairly(
            free.filter(({ is_open }) => is_open),
            wanted.open
          )
        ]
        return claimed.map((row): DeliveryLease => {
          const token = row.token + 1
          const due_at = row.due_at === Number.NEGATIVE_INFINITY ? now : row.due_at
          put({ ...row, token, due_at, lease_until: now + leaseSeconds * 1_000 })
          const { destination_id, account_id, workspace_id, failures, failing_since, refusals, is_open } = row
          return { destination_id, account_id, workspace_id, token, failures, failing_since, refusals, is_open }
        })
      }),
    read: (turn, after, limits) =>
      Effect.sync(() => {
        const row = own(turn)
        return row === undefined
          ? Option.none()
          : Option.some(batchOf(row, after === null ? row.position : Number(after), limits))
      }),
    acknowledge: (turn, acknowledgement, leaseSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = own(turn)
        if (row === undefined) return false
        acknowledge(row, acknowledgement, now + leaseSeconds * 1_000, now)
        return true
      }),
    release: (turn, end) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = own(turn)
        if (row === undefined) return false
        const waits = row.head > row.position
        if (stored(row.destination_id) === undefined && !waits) rows.delete(row.destination_id)
        else if (end.kind === "released") put({ ...row, lease_until: null, due_at: waits ? now : null })
        else {
          note(row, end.attempt, now)
          put({
            ...row,
            attempts: row.attempts + 1,
            lease_until: null,
            // A change of the destination during the turn stands.
            due_at: row.due_at === Number.NEGATIVE_INFINITY ? row.due_at : now + end.due_in_seconds * 1_000,
            failures: row.failures + 1,
            failing_since: row.failing_since ?? now,
            is_open: end.is_open,
            last_at: now,
            last_status: end.attempt.status,
            last_message: end.attempt.message
          })
        }
        return true
      }),
    stateOf: (account_id, destination_id) =>
      Effect.sync(() => {
        const row = rows.get(destination_id)
        if (row === undefined || row.account_id !== account_id) return Option.none()
        const { token: _, position: __, head: ___, lease_until: ____, attempts: _____, ...state } = row
        const due_at = state.due_at === Number.NEGATIVE_INFINITY ? 0 : state.due_at
        return Option.some<DeliveryState>({ ...state, due_at })
      }),
    backlog: Effect.map(Clock.currentTimeMillis, (now) => ({
      waiting: Math.min(deliveries.size, 100_000),
      oldest_at: deliveries.after(0).next().value?.recorded_at ?? null,
      destinations: waitingDestinations(),
      now
    }))
  })
}
