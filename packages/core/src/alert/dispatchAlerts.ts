/**
 * Sends alerts that are due, several at once, and keeps doing so.
 *
 * It is no background job: a receiver that does not answer would keep the other jobs of the process waiting. Leases of single deliveries
 * let every process take part.
 *
 * Rule: alerts#attempts, alerts#formats.
 */
import { Cause, Effect, Exit, Random } from "effect"
import { retryDelaySeconds } from "../delivery/retryDelay.ts"
import { Alerts, type AlertOutcome, type AlertTurn } from "./Alerts.ts"
import { nameAlerts } from "./nameAlerts.ts"
import { openChannelConfig, placeOfChannelConfig } from "./sealChannelConfig.ts"
import { attemptMillis, sendAlert, type SentAlert } from "./sendAlert.ts"

/** Deliveries at a time. */
const atOnce = 20
/** Longer than an attempt may take. */
const leaseSeconds = attemptMillis / 1_000 + 10
const lookEvery = "2 seconds"
const afterFailure = "5 seconds"

/** A delivery is given up when it was tried for so long. */
const triedSeconds = 86_400

/** Turns that one message tells. */
type Together = readonly [AlertTurn, ...AlertTurn[]]

/** What is due for a mailbox at once is one mail: people read it, and one event may cross several thresholds of several budgets. */
const together = (turns: readonly AlertTurn[]): readonly Together[] => {
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
  const config = yield* openChannelConfig(channel.sealed_config, placeOfChannelConfig(account_id, channel.channel))
  return yield* sendAlert(account_id, channel.channel, config, [alert, ...more])
})

const outcomeOf = Effect.fnUntraced(function* ({ attempts, age_seconds }: AlertTurn, sent: SentAlert) {
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
const faulty = (turn: AlertTurn): AlertOutcome => ({
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
    yield* alerts.settle(turn, Exit.isSuccess(exit) ? yield* outcomeOf(turn, exit.value) : faulty(turn))
})

/** Sends what is due, until nothing is; answers how many attempts there were. */
export const sendDueAlerts = Effect.gen(function* () {
  const alerts = yield* Alerts
  let attempts = 0
  for (;;) {
    const turns = yield* alerts.claim(atOnce, leaseSeconds)
    if (turns.length === 0) return attempts
    yield* Effect.forEach(together(turns), deliver, { concurrency: "unbounded", discard: true })
    attempts += turns.length
  }
})

/** Sends for as long as it is let. */
export const keepSendingAlerts = Effect.gen(function* () {
  for (;;) {
    const exit = yield* Effect.exit(sendDueAlerts)
    if (Exit.isFailure(exit)) {
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
      yield* Effect.logWarning("alerts cannot reach the store", exit.cause)
    }
    yield* Effect.sleep(Exit.isFailure(exit) ? afterFailure : lookEvery)
  }
})
