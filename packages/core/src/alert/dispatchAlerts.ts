/**
 * Sends alerts that are due, several at once, and keeps doing so.
 *
 * It is no background job: a receiver that does not answer would keep the other jobs of the process waiting. Leases of single deliveries
 * let every process take part.
 *
 * Rule: alerts#attempts, alerts#formats.
 */
import { Cause, Effect, Exit, FiberSet, Latch, Random } from "effect"
import { retryDelaySeconds } from "../delivery/sendRendered.ts"
import { Slots } from "../limits/Slots.ts"
import { Alerts, type AlertOutcome, type AlertLease } from "../ports/alerts.ts"
import { nameAlerts } from "./describeAlert.ts"
import { openChannelConfig, contextOfChannelConfig } from "./config.ts"
import { attemptMillis, sendAlert, type SentAlert } from "./sendAlert.ts"

/** Messages at a time to channels that are well, and to those whose last attempt failed. One account alone gets two thirds: 20 and 4. */
const wellSlots = 30
const failingSlots = 6
/** Longer than an attempt may take. */
const leaseSeconds = attemptMillis / 1_000 + 10
const lookEvery = "2 seconds"
/** Between two looks, however many messages are sent. */
const leastPause = "20 millis"
const afterFailure = "5 seconds"

/** A delivery is given up when it was tried for so long. */
const triedSeconds = 86_400

/** Turns that one message tells. */
type Together = readonly [AlertLease, ...AlertLease[]]

/** What is due for a mailbox at once is one mail: people read it, and one event may cross several thresholds of several budgets. */
const together = (turns: readonly AlertLease[]): readonly Together[] => {
  const groups = new Map<string, Together>()
  for (const turn of turns) {
    const { id, type } = turn.channel.channel
    const place = type === "email" ? id : `${id} ${turn.alert.id}`
    const group = groups.get(place)
    groups.set(place, group === undefined ? [turn] : [...group, turn])
  }
  return [...groups.values()]
}

const sendTogether = Effect.fnUntraced(function* ([first, ...others]: Together) {
  const { account_id, channel } = first
  // Whoever hears a channel may reach its workspace alone.
  const isOfChannel = (workspace_id: string | null) => workspace_id === channel.channel.workspace_id
  const [alert = first.alert, ...more] = yield* nameAlerts(
    account_id,
    [first, ...others].map(({ alert }) => alert),
    isOfChannel
  )
  const config = yield* openChannelConfig(channel.sealed_config, contextOfChannelConfig(account_id, channel.channel))
  return yield* sendAlert(account_id, channel.channel, config, [alert, ...more])
})

const outcomeOf = Effect.fnUntraced(function* ({ attempts, age_seconds }: AlertLease, sent: SentAlert) {
  if (sent.delivered) return { kind: "delivered", status: sent.status, message: sent.message } satisfies AlertOutcome
  const delay = retryDelaySeconds(attempts + 1, sent.retryAfter, yield* Random.next)
  // Whole milliseconds, as instants are printed.
  const due_in_seconds = Math.ceil(delay * 1_000) / 1_000
  return {
    kind: sent.isFinal || age_seconds + due_in_seconds > triedSeconds ? "failed" : "retry",
    status: sent.status,
    message: sent.message ?? "",
    due_in_seconds
  } satisfies AlertOutcome
})

/** A fault of this server postpones the delivery as one of the receiver does. */
const faulty = (turn: AlertLease): AlertOutcome => ({
  kind: turn.age_seconds > triedSeconds ? "failed" : "retry",
  status: null,
  message: "This server could not send the alert.",
  due_in_seconds: retryDelaySeconds(turn.attempts + 1, undefined, 0.5)
})

const deliver = Effect.fnUntraced(function* (turns: Together) {
  const alerts = yield* Alerts
  const exit = yield* Effect.exit(sendTogether(turns))
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
    const [{ alert, channel }] = turns
    yield* Effect.logWarning("alert not sent", { alert: alert.id, channel: channel.channel.id }, exit.cause)
  }
  for (const turn of turns)
    yield* alerts.acknowledge(turn, Exit.isSuccess(exit) ? yield* outcomeOf(turn, exit.value) : faulty(turn))
})

/** Sends at once what slots allow, and refills each as it becomes free: a receiver that does not answer holds up nobody else's alerts. */
const openDispatch = Effect.gen(function* () {
  const alerts = yield* Alerts
  const fibers = yield* FiberSet.make<void>()
  const freed = yield* Latch.make()
  const slots = { well: new Slots(wellSlots), failing: new Slots(failingSlots) }
  /** Messages to each channel that are under way. */
  const busy = new Map<string, number>()

  const start = (turns: Together) => {
    const [{ account_id, channel, is_failing }] = turns
    const { id } = channel.channel
    const kind = is_failing ? slots.failing : slots.well
    kind.take(account_id)
    busy.set(id, (busy.get(id) ?? 0) + 1)
    const end = Effect.sync(() => {
      kind.giveBack(account_id)
      const left = (busy.get(id) ?? 0) - 1
      if (left > 0) busy.set(id, left)
      else busy.delete(id)
      freed.openUnsafe()
    })
    const delivering = Effect.catchCause(deliver(turns), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logWarning("alerts cannot reach the store", cause)
    )
    return FiberSet.run(fibers, Effect.ensuring(delivering, end))
  }
  return {
    /** Claims what is due and begins to send it; answers how many attempts that are. */
    look: Effect.gen(function* () {
      let attempts = 0
      for (;;) {
        const wanted = { well: slots.well.wanted, failing: slots.failing.wanted, busy: new Set(busy.keys()) }
        if (wanted.well.most + wanted.failing.most === 0) return attempts
        const turns = yield* alerts.claim(wanted, leaseSeconds)
        if (turns.length === 0) return attempts
        attempts += turns.length
        for (const each of together(turns)) yield* start(each)
      }
    }),
    isIdle: () => busy.size === 0,
    /** Ends when something was sent, or could not be, since the last time. */
    freed: Effect.andThen(
      freed.await,
      Effect.sync(() => freed.closeUnsafe())
    )
  }
})

/** Sends what is due, until nothing is; answers how many attempts there were. */
export const sendDueAlerts = Effect.gen(function* () {
  const dispatch = yield* openDispatch
  let attempts = 0
  for (;;) {
    const begun = yield* dispatch.look
    attempts += begun
    if (begun === 0 && dispatch.isIdle()) return attempts
    yield* dispatch.freed
  }
}).pipe(Effect.scoped)

/** Sends for as long as it is let. */
export const keepSendingAlerts = Effect.gen(function* () {
  const dispatch = yield* openDispatch
  for (;;) {
    const exit = yield* Effect.exit(dispatch.look)
    if (Exit.isFailure(exit)) {
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
      yield* Effect.logWarning("alerts cannot reach the store", exit.cause)
      yield* Effect.sleep(afterFailure)
    }
    yield* Effect.sleep(leastPause)
    yield* Effect.raceFirst(dispatch.freed, Effect.sleep(lookEvery))
  }
}).pipe(Effect.scoped)
