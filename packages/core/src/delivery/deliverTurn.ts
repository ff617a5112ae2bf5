/**
 * Works for one destination under its lease: reads what waits, sends it and moves the position, batch after batch.
 *
 * While a batch is sent the next one is read and rendered. A failure postpones the destination; events that were tried for a day become dead
 * letters, and the position moves on.
 *
 * Rule: observability#delivery, observability#retries, observability#dead-letters.
 */
import { Cause, Clock, Effect, Exit, Fiber, Option, Random, Redacted } from "effect"
import { Destinations, type StoredDestination } from "../ports/destinations.ts"
import { Vault } from "../vault/Vault.ts"
import {
  type DeliveryAttempt,
  DeliveryQueue,
  type DeliveryLease,
  type LastAnswer,
  type NewDeadLetter,
  type WaitingBatch,
  type WaitingEvent,
  contextOfDeadBodies,
  refusalsUntilRefusing
} from "../ports/deliveries.ts"
import { type BatchProgress, DeliveryMeter, type Fate, deliverBatch } from "./deliverBatch.ts"
import type { RenderedRequest } from "./rendering/Renderer.ts"
import { openDestination, type OpenedDestination, receivesBodies, renderBatch } from "./renderBatch.ts"
import { failuresUntilOpen, retryDelaySeconds } from "./sendRendered.ts"
import { openBodies, contextOfBodies } from "../prompt/sealBodies.ts"
import { dayMillis } from "../value/calendar.ts"

/** Longer than a request may take. Another process takes a destination over so long after its holder died, at the latest. */
export const leaseSeconds = 15
/** A turn ends after this, so that other destinations have theirs. */
const patienceMillis = 20_000
/** The lease is extended at least so often while requests are answered. */
const extendEveryMillis = 2_000
const triedMillis = dayMillis

/**
 * Events of one batch. The renderer makes as many requests of it as the platform needs, and the position moves once. This many are sent again
 * at most where a process dies.
 */
const mostEvents = 1_000
/** Half of it, where requests hold no more: while such a batch is sent, the position is moved over the one before. */
const overlappedEvents = 500
const mostBodyBytes = 8 * 1024 * 1024
/** Of a small batch: while a platform is slow, or nobody knows whether it answers, there may be many turns. */
const firstEvents = 100
const firstBodyBytes = 1024 * 1024

/** Whoever started the turn is told how it gets on. */
export interface TurnWatch {
  /** Before a batch is sent: a small one, as the first of a turn, or a large one. */
  readonly asks: (isLarge: boolean) => Effect.Effect<void>
  /** Afterwards. `isAccepting`: the platform has accepted something in this turn. Answers whether the next batches may be large. */
  readonly answered: (isAccepting: boolean) => Effect.Effect<boolean>
}
const unwatched: TurnWatch = { asks: () => Effect.void, answered: Effect.succeed }

interface Prepared {
  readonly batch: WaitingBatch
  /** `undefined`: it is deleted. */
  readonly stored: StoredDestination | undefined
  /** `undefined`: it cannot be delivered to at present. */
  readonly opened: OpenedDestination | undefined
  readonly rendered: readonly RenderedRequest[] | "failed"
}

const unopened: LastAnswer = { status: null, message: "The configuration cannot be used by this server." }

/** The destination as it is now. */
const openNow = Effect.fnUntraced(function* ({ account_id, destination_id }: DeliveryLease) {
  const stored = Option.getOrUndefined(yield* (yield* Destinations).find(account_id, destination_id))
  return { stored, opened: stored && (yield* openDestination(account_id, stored)) }
})

/** What was recorded before the destination was enabled, or while its address had another host, is passed over. */
const sinceAllowed = (batch: WaitingBatch, stored: StoredDestination | undefined): WaitingBatch => {
  const since = stored?.receives_since.events
  return since === undefined
    ? batch
    : { ...batch, events: batch.events.filter(({ waiting_since }) => waiting_since > since) }
}

/** Reads the next batch and makes its requests; `undefined` when the lease is lost. */
const prepare = Effect.fnUntraced(function* (
  turn: DeliveryLease,
  after: string | null,
  most: number | undefined,
  isLarge: boolean
) {
  const queue = yield* DeliveryQueue
  const opening = openNow(turn)
  const reading = (limit: number) => {
    const events = Math.min(isLarge ? mostEvents : firstEvents, most ?? limit)
    return queue.read(turn, after, { events, bytes: isLarge ? mostBodyBytes : firstBodyBytes })
  }
  // Whoever tries an open breaker sends one request, whose size its type determines.
  const isProbe = turn.is_open && after === null
  const [{ opened, stored }, read] = isProbe
    ? yield* Effect.flatMap(opening, (found) =>
        Effect.map(reading(found.opened?.renderer.limits.events ?? 1), (events) => [found, events] as const)
      )
    : yield* Effect.all([opening, reading(mostEvents)], { concurrency: 2 })
  if (Option.isNone(read)) return undefined
  const batch = sinceAllowed(read.value, stored)
  const isSent = opened !== undefined && batch.receives && batch.events.length > 0
  const prepared: Prepared = { batch, stored, opened, rendered: isSent ? yield* renderBatch(opened, batch.events) : [] }
  return prepared
})

/** Bodies of a dead letter are encrypted anew, for the table that keeps them. There are none that the destination may not receive. */
const deadLetterOf = Effect.fnUntraced(function* (
  turn: DeliveryLease,
  stored: StoredDestination | undefined,
  waiting: WaitingEvent,
  answer: LastAnswer
) {
  const { account_id, workspace_id, destination_id } = turn
  const event_id = waiting.event.id
  const vault = yield* Vault
  const sealed_bodies =
    waiting.sealed_bodies === null || stored === undefined || !receivesBodies(stored, waiting.event)
      ? null
      : yield* vault.seal(
          Redacted.make(
            JSON.stringify(
              Redacted.value(
                yield* openBodies(waiting.sealed_bodies, contextOfBodies(account_id, workspace_id, event_id))
              )
            )
          ),
          contextOfDeadBodies({ account_id, workspace_id, destination_id, event_id })
        )
  return { event_id, status: answer.status, message: answer.message ?? "", sealed_bodies } satisfies NewDeadLetter
})

/** Moves the position over the events at the beginning of a batch whose fate is known. */
const acknowledger = (turn: DeliveryLease, { batch, stored }: Pick<Prepared, "batch" | "stored">) => {
  let passed = 0
  return Effect.fnUntraced(function* (
    fates: ReadonlyMap<string, Fate>,
    answer: LastAnswer | undefined,
    attempt?: DeliveryAttempt
  ) {
    const queue = yield* DeliveryQueue
    let accepted = 0
    const dead: NewDeadLetter[] = []
    let last: string | undefined
    for (; passed < batch.events.length; passed++) {
      const waiting = batch.events[passed]
      const fate = waiting === undefined ? undefined : fates.get(waiting.event.id)
      if (waiting === undefined || fate === undefined) break
      if (fate === "accepted") accepted++
      else dead.push(yield* deadLetterOf(turn, stored, waiting, fate))
      last = waiting.position
    }
    const isWhole = passed === batch.events.length
    const position = isWhole ? batch.position : last
    if (position == null) return true
    return yield* queue.acknowledge(turn, { position, accepted, dead, answer, attempt }, leaseSeconds)
  })
}

/**
 * Events at the beginning of a batch that were tried for a day become dead letters. `pass` has moved the position over those that have a fate,
 * and goes on from there, so none is counted twice.
 */
const buryExpired = Effect.fnUntraced(function* (
  turn: DeliveryLease,
  batch: WaitingBatch,
  pass: ReturnType<typeof acknowledger>,
  fates: ReadonlyMap<string, Fate>,
  answer: LastAnswer
) {
  const now = yield* Clock.currentTimeMillis
  const since = turn.failing_since ?? now
  const all = new Map(fates)
  for (const { event, waiting_since } of batch.events)
    if (!all.has(event.id) && Math.max(since, waiting_since) + triedMillis <= now) all.set(event.id, answer)
  const isHeld = yield* pass(all, undefined)
  return isHeld && batch.events.every(({ event }) => all.has(event.id)) ? ("all" as const) : ("some" as const)
})

/** Buries what is expired without sending it, once an attempt has failed. */
const buryMore = Effect.fnUntraced(function* (
  turn: DeliveryLease,
  { batch: { position: from }, stored }: Prepared,
  answer: LastAnswer
) {
  const queue = yield* DeliveryQueue
  for (let after = from; ;) {
    const read = yield* queue.read(turn, after, { events: mostEvents, bytes: mostBodyBytes })
    if (Option.isNone(read) || read.value.position === null) return
    const batch = sinceAllowed(read.value, stored)
    if ((yield* buryExpired(turn, batch, acknowledger(turn, { batch, stored }), new Map(), answer)) === "some") return
    after = batch.position
  }
})

/** For the delivery log: what became of a batch. */
const attemptOf = (progress: BatchProgress, events: number, duration_ms: number): DeliveryAttempt => {
  const fates = [...progress.fates.values()]
  const accepted = fates.filter((fate) => fate === "accepted").length
  const refused = fates.length - accepted
  const { status, message } = progress.failure ?? progress.answer ?? { status: null, message: null }
  const whole = refused === 0 ? "delivered" : accepted === 0 ? "refused" : "partly"
  const outcome = progress.failure === undefined ? whole : "failed"
  return { outcome, events, accepted, refused, rejected_spans: progress.rejected_spans, duration_ms, status, message }
}

/** An attempt that sent nothing. */
const unsent = (events: number, answer: LastAnswer): DeliveryAttempt => ({
  ...{ outcome: "failed", events, accepted: 0, refused: 0, rejected_spans: 0, duration_ms: 0 },
  ...answer
})

const postpone = Effect.fnUntraced(function* (
  turn: DeliveryLease,
  failures: number,
  attempt: DeliveryAttempt,
  after?: number
) {
  const queue = yield* DeliveryQueue
  const due_in_seconds = retryDelaySeconds(failures, after, yield* Random.next)
  yield* queue.release(turn, { kind: "failed", attempt, due_in_seconds, is_open: failures >= failuresUntilOpen })
})

/** Runs until nothing is left, a failure, or the end of the turn. Answers how many events the platform accepted. */
const runTurn = Effect.fnUntraced(function* (turn: DeliveryLease, watch: TurnWatch) {
  const queue = yield* DeliveryQueue
  const tell = yield* DeliveryMeter
  const begun = yield* Clock.currentTimeMillis
  let failures = turn.failures
  let refusals = turn.refusals
  let most: number | undefined
  let delivered = 0
  let isLarge = false
  /** Answers whether the position was moved over the batch before, which happens while the next one is sent. */
  let behind: Effect.Effect<boolean> = Effect.succeed(true)
  let next = yield* prepare(turn, null, undefined, false)
  for (;;) {
    const isSent = next?.opened !== undefined && next.batch.receives && next.batch.events.length > 0
    const isLate = (yield* Clock.currentTimeMillis) - begun > patienceMillis
    if ((!isSent || isLate) && !(yield* behind)) return delivered
    if (next === undefined) return delivered
    const { batch, opened, rendered } = next
    if (batch.position === null || isLate) break
    const pass = acknowledger(turn, next)
    if (!batch.receives || batch.events.length === 0) {
      // Nobody receives it: it is passed over.
      const acknowledgement = { position: batch.position, accepted: 0, dead: [], answer: undefined, attempt: undefined }
      if (!(yield* queue.acknowledge(turn, acknowledgement, leaseSeconds))) return delivered
      next = yield* prepare(turn, batch.position, most, isLarge)
      continue
    }
    if (opened === undefined) {
      if (failures > 0 && (yield* buryExpired(turn, batch, pass, new Map(), unopened)) === "all")
        yield* buryMore(turn, next, unopened)
      yield* postpone(turn, failures + 1, unsent(batch.events.length, unopened))
      return delivered
    }
    const sentAt = yield* Clock.currentTimeMillis
    let extendedAt = sentAt
    const onProgress = Effect.fnUntraced(function* ({ fates, answer }: BatchProgress) {
      const now = yield* Clock.currentTimeMillis
      if (now - extendedAt < extendEveryMillis) return true
      extendedAt = now
      return (yield* behind) && (yield* pass(fates, answer))
    })
    const isProbe = turn.is_open && delivered === 0
    const wasLarge = isLarge
    yield* watch.asks(wasLarge)
    const usual = opened.renderer.limits.events > overlappedEvents ? mostEvents : overlappedEvents
    const following = wasLarge
      ? prepare(turn, batch.position, Math.min(most ?? usual, usual), true)
      : Effect.succeed("later" as const)
    const [progress, prepared] = yield* Effect.all(
      [deliverBatch(opened, batch.events, rendered, { isProbe, onProgress }), following],
      { concurrency: 2 }
    )
    const attempt = attemptOf(progress, batch.events.length, Math.round((yield* Clock.currentTimeMillis) - sentAt))
    isLarge = yield* watch.answered(delivered + attempt.accepted > 0)
    tell(opened.destination.type, attempt)
    if (!(yield* behind)) return delivered + attempt.accepted
    // One that failed is noted when the turn ends with it.
    const passed = pass(progress.fates, progress.answer, progress.failure === undefined ? attempt : undefined)
    const isWhole = attempt.accepted === batch.events.length && progress.failure === undefined
    if (
      delivered + attempt.accepted === 0 &&
      refusals < refusalsUntilRefusing &&
      refusals + attempt.refused >= refusalsUntilRefusing
    )
      yield* Effect.logWarning("the platform of a destination refuses everything", {
        destination_id: turn.destination_id,
        status: attempt.status
      })
    refusals = attempt.accepted > 0 ? 0 : refusals + attempt.refused
    delivered += attempt.accepted
    behind = Effect.succeed(true)
    if (wasLarge && isWhole && batch.events.length <= overlappedEvents)
      behind = Fiber.join(yield* Effect.forkChild(passed))
    else if (!(yield* passed)) return delivered
    if (attempt.accepted > 0) failures = 0
    if (progress.failure !== undefined) {
      const { status, message, retryAfter } = progress.failure
      const answer = { status, message }
      // Only a row of failures can last for a day.
      if (failures > 0 && (yield* buryExpired(turn, batch, pass, progress.fates, answer)) === "all")
        yield* buryMore(turn, next, answer)
      yield* postpone(turn, failures + 1, attempt, retryAfter)
      return delivered
    }
    const isSmaller = progress.most !== undefined && progress.most < (most ?? Number.POSITIVE_INFINITY)
    if (isSmaller) most = progress.most
    next =
      prepared === "later" || isSmaller || !isLarge
        ? yield* prepare(turn, batch.position, Math.min(most ?? usual, usual), isLarge)
        : prepared
  }
  yield* queue.release(turn, { kind: "released" })
  return delivered
})

const internal: LastAnswer = { status: null, message: "The delivery failed in the server." }

/** The same, whatever happens: an interrupted turn gives its lease back, and one that dies is postponed. */
export const deliverTurn = Effect.fnUntraced(function* (turn: DeliveryLease, watch: TurnWatch = unwatched) {
  const queue = yield* DeliveryQueue
  const exit = yield* Effect.exit(
    Effect.onInterrupt(runTurn(turn, watch), () => Effect.ignoreCause(queue.release(turn, { kind: "released" })))
  )
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  yield* Effect.logWarning("delivery failed", { destination: turn.destination_id }, exit.cause)
  yield* Effect.ignoreCause(postpone(turn, turn.failures + 1, unsent(0, internal)))
  return 0
})
