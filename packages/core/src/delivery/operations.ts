import {
  type Delivery,
  type DeliveryStatus,
  type DestinationTest,
  type QueryOf,
  type ReplayDeadLetters,
  type listDeadLetters as listDeadLettersDeclaration,
  type listDeliveries as listDeliveriesDeclaration,
  mostReplayed
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requirePrompts } from "../destination/requirePrompts.ts"
import { Entropy } from "../platform/Entropy.ts"
import {
  type DeadLetter,
  DeadLetters,
  DeliveryLog,
  DeliveryQueue,
  type DeliveryState,
  type LoggedAttempt,
  type RequeuedLetter,
  type WaitingEvents,
  contextOfDeadBodies,
  refusalsUntilRefusing
} from "../ports/deliveries.ts"
import { Destinations, type StoredDestination } from "../ports/destinations.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { openBodies, contextOfBodies, sealBodies } from "../prompt/sealBodies.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant, timestamp } from "../value/calendar.ts"
import { Conflict, notFound } from "../value/failure.ts"
import { loopPauses } from "../value/inSlices.ts"
import { DeliverySignal } from "./dispatch.ts"
import { type OpenedDestination, openDestination, renderBatch } from "./renderBatch.ts"
import { type SentAnswer, answerMillis, sendRendered } from "./sendRendered.ts"
import { emptyEvent } from "./testDestinationEvent.ts"

/** Rule: observability#dead-letters. */
export const listDeadLetters = operation("listDeadLetters")(function* (
  { account_id }: Caller,
  id: string,
  page: QueryOf<typeof listDeadLettersDeclaration>
) {
  if (Option.isNone(yield* (yield* Destinations).find(account_id, id))) return yield* notFound()
  const { data, total_count } = yield* (yield* DeadLetters).list(account_id, id, page)
  return {
    data: data.map(({ event_id, died_at, status, message }) => ({
      event_id,
      died_at: formatInstant(died_at),
      status,
      message
    })),
    total_count
  }
})

const instantOf = (millis: number | null | undefined): string | null => (millis == null ? null : formatInstant(millis))

/** The position is not shown: it tells how many transactions the installation has made. */
const statusOf = (
  { receives_since }: StoredDestination,
  state: DeliveryState | undefined,
  { waiting, oldest_at }: WaitingEvents
): DeliveryStatus => ({
  state: (state?.refusals ?? 0) >= refusalsUntilRefusing ? "refusing" : (state?.failures ?? 0) > 0 ? "failing" : "ok",
  refusing_since: instantOf(state?.refusing_since),
  circuit: state?.is_open === true ? "open" : "closed",
  waiting,
  oldest_waiting_at: instantOf(oldest_at),
  failures: state?.failures ?? 0,
  failing_since: instantOf(state?.failing_since),
  next_attempt_at: waiting === 0 ? null : instantOf(state?.due_at),
  last_attempt_at: instantOf(state?.last_at),
  last_delivered_at: instantOf(state?.delivered_at),
  receives_since: instantOf(receives_since.events),
  delivered: state?.delivered ?? 0,
  dead: state?.dead ?? 0
})

/** How a destination is doing, and what waits for it. Rule: observability#delivery-log. */
export const deliveryStatus = Effect.fnUntraced(function* (account_id: string, stored: StoredDestination) {
  const { id } = stored.destination
  const state = yield* (yield* DeliveryQueue).stateOf(account_id, id)
  const waiting = yield* (yield* DeliveryLog).waiting(account_id, id)
  return statusOf(stored, Option.getOrUndefined(state), waiting)
})

const deliveryOf = ({ ended_at, ...attempt }: LoggedAttempt): Delivery => ({
  ...attempt,
  ended_at: formatInstant(ended_at)
})

/** Rule: observability#delivery-log. */
export const listDeliveries = operation("listDeliveries")(function* (
  { account_id }: Caller,
  id: string,
  page: QueryOf<typeof listDeliveriesDeclaration>
) {
  const found = yield* (yield* Destinations).find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { data, total_count } = yield* (yield* DeliveryLog).attempts(account_id, id, page)
  return { data: data.map(deliveryOf), total_count, status: yield* deliveryStatus(account_id, found.value) }
})

/** Bodies may be large, so few letters are held at once. Each batch is atomic; a request that is repeated goes on where it stopped. */
const lettersAtOnce = 20
const bytesAtOnce = 2_097_152

/** The bodies are encrypted for the stream. */
const requeuedOf = Effect.fnUntraced(function* (letter: DeadLetter) {
  const { account_id, workspace_id, event_id, sealed_bodies } = letter
  const bodies = sealed_bodies === null ? undefined : yield* openBodies(sealed_bodies, contextOfDeadBodies(letter))
  const isKept = bodies !== undefined && Object.keys(Redacted.value(bodies)).length > 0
  return {
    event_id,
    sealed_bodies: isKept ? yield* sealBodies(bodies, contextOfBodies(account_id, workspace_id, event_id)) : null
  } satisfies RequeuedLetter
})

const requeue = Effect.fnUntraced(function* (account_id: string, id: string, letters: readonly DeadLetter[]) {
  const now = yield* timestamp
  return yield* (yield* DeadLetters).requeue(account_id, id, yield* Effect.forEach(letters, requeuedOf), now)
})

/** Other requests get the loop between batches, and a client that has disconnected ends the replay there. */
const requeueAll = Effect.fnUntraced(function* (account_id: string, id: string, event_ids: readonly string[]) {
  const letters = yield* DeadLetters
  const { pause } = yield* loopPauses
  let replayed = 0
  for (let from = 0; from < event_ids.length;) {
    if (from > 0) yield* Effect.interruptible(pause)
    const asked = event_ids.slice(from, from + lettersAtOnce)
    const found = yield* letters.find(account_id, id, asked, bytesAtOnce)
    const last = found.at(-1)
    from += last === undefined ? asked.length : asked.indexOf(last.event_id) + 1
    if (last !== undefined) replayed += yield* requeue(account_id, id, found)
  }
  return replayed
})

/** Rule: observability#replays. */
export const replayDeadLetters = operation("replayDeadLetters")(function* (
  caller: Caller,
  id: string,
  { event_ids, until }: ReplayDeadLetters
) {
  const { account_id } = caller
  const destinations = yield* Destinations
  const found = yield* destinations.find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  if (!found.value.destination.privacy_mode) yield* requirePrompts(caller)
  // What waits for a destination that receives nothing is passed over, and would be lost.
  const receiving = yield* destinations.receiving(account_id, found.value.destination.workspace_id)
  if (!receiving.some((destination) => destination.id === found.value.destination.id))
    return yield* new Conflict({ reason: "destination_receives_nothing" })
  // Recorded before anything is sent: who stops it half way has sent what is recorded.
  if (!(yield* destinations.noteReplay(account_id, id))) return yield* notFound()
  const letters = yield* DeadLetters
  const asked = event_ids ?? (yield* letters.diedUntil(account_id, id, until ?? "", mostReplayed))
  const replayed = yield* requeueAll(account_id, id, asked)
  if (replayed > 0) (yield* DeliverySignal).wake()
  const { total_count } = yield* letters.list(account_id, id, { limit: 1, offset: 0 })
  return { replayed, remaining: total_count }
})

/** Says in each field that a platform shows that it is a test. */
const testEvent = (id: string, workspace_id: string, now: number): UsageEvent => ({
  ...emptyEvent,
  id: `gatewarden-test-${id}`,
  workspace_id,
  created_at: formatInstant(now),
  recorded_at: formatInstant(now),
  model: "gatewarden/test",
  provider: "gatewarden",
  trace: { trace_name: "Gatewarden test event", generation_name: "Gatewarden test event", is_test: true },
  self_reported: true
})

const outcomes: Readonly<Record<SentAnswer["verdict"]["kind"], DestinationTest["outcome"]>> = {
  accepted: "delivered",
  partly: "refused",
  refused: "refused",
  too_large: "refused",
  retry: "failed"
}

const notSent = (message: string): DestinationTest => ({ outcome: "failed", status: null, duration_ms: 0, message })

const sendEvent = Effect.fnUntraced(function* (opened: OpenedDestination, event: UsageEvent, begun: number) {
  const waiting = { position: "", waiting_since: begun, event, api_key_name: null, sealed_bodies: null }
  const requests = yield* renderBatch(opened, [waiting])
  const [request] = requests === "failed" ? [] : requests
  if (request === undefined) return notSent("The event cannot be written in the format of the platform.")
  const { status, verdict, message, text } = yield* sendRendered({
    type: opened.destination.type,
    config: opened.config,
    request,
    judge: opened.renderer.judge,
    timeoutMillis: answerMillis
  })
  const duration_ms = Math.max(0, Math.round((yield* Clock.currentTimeMillis) - begun))
  const outcome = outcomes[verdict.kind]
  // The test event has nothing of a user's in it, so the caller may read what the platform says of it.
  const said = outcome === "delivered" ? message : [message, text()].filter((part) => part !== "").join(" ")
  return { outcome, status, duration_ms, message: said === "" ? null : said }
})

/** Rule: observability#test-events. */
export const testDestination = operation("testDestination")(function* (caller: Caller, id: string) {
  const found = yield* (yield* Destinations).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const opened = yield* openDestination(caller.account_id, found.value)
  if (opened === undefined) return notSent("The configuration cannot be used by this server.")
  const begun = yield* Clock.currentTimeMillis
  const event = testEvent((yield* Entropy).uuid(), opened.destination.workspace_id, begun)
  return yield* sendEvent(opened, event, begun)
})
