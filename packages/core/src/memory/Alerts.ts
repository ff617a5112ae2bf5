import { Clock, Effect } from "effect"
import { type AlertLease, Alerts, quietWaitSeconds } from "../ports/alerts.ts"
import { takeFairly } from "../ports/limits.ts"
import { claimFairly } from "../alert/claimFairly.ts"
import { judgeDue } from "../alert/conditions.ts"
import { formatInstant } from "../value/calendar.ts"
import { type AlertRow, type DeliveryOfAlert, isNew, raiseAlert } from "./tables/raiseAlert.ts"
import { deadDestinations, expiringKeys, isStillFailing } from "./tables/standingAlerts.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import { type Tables, pageOf } from "./tables/Tables.ts"

const leastWaitMillis = quietWaitSeconds * 1_000

export const alerts = (tables: Tables) => {
  const rows = tables.alerts
  onSweep(
    tables.sweeps,
    "alerts",
    sweepMap(rows, (row, before) => row.at < before && !isStillFailing(tables, row))
  )

  const put = (row: AlertRow, index: number, change: Partial<DeliveryOfAlert>): void => {
    const delivery = row.deliveries[index]
    if (delivery !== undefined) row.deliveries[index] = { ...delivery, ...change }
  }

  /** Deliveries of the same to the channel, within its quiet time. */
  const alike = (row: AlertRow, delivery: DeliveryOfAlert, quietMillis: number): readonly DeliveryOfAlert[] =>
    [...rows.values()]
      .filter(
        (other) =>
          other !== row &&
          other.account_id === row.account_id &&
          other.alert.type === row.alert.type &&
          other.alert.subject === row.alert.subject
      )
      .flatMap(({ deliveries }) =>
        deliveries.filter(
          (one) =>
            one.channel_id === delivery.channel_id && one.token > 0 && Math.abs(one.at - delivery.at) < quietMillis
        )
      )

  /** Ends the delivery, or takes its lease. */
  const take = (
    row: AlertRow,
    index: number,
    is_failing: boolean,
    now: number,
    leaseMillis: number
  ): AlertLease | undefined => {
    const delivery = row.deliveries[index]
    if (delivery === undefined) return undefined
    const stored = tables.alertChannels.get(delivery.channel_id)
    const quietMillis = (stored?.channel.quiet_time_seconds ?? 0) * 1_000
    const others = delivery.token === 0 ? alike(row, delivery, quietMillis) : []
    const underWay = others.filter(({ status }) => status === "waiting")
    const judged = judgeDue(stored?.channel.enabled, {
      isTold: others.some(({ status }) => status === "delivered"),
      isUnderWay: underWay.length > 0
    })
    if (judged.kind === "ended") put(row, index, { status: judged.status, last_message: judged.message })
    if (judged.kind === "postponed")
      put(row, index, { due_at: Math.max(now + leastWaitMillis, ...underWay.map(({ due_at }) => due_at)) })
    if (judged.kind !== "sent" || stored === undefined) return undefined
    const token = delivery.token + 1
    put(row, index, { token, due_at: now + leaseMillis })
    return {
      account_id: row.account_id,
      alert: row.alert,
      channel: { channel: stored.channel, sealed_config: stored.sealed_config },
      token,
      attempts: delivery.attempts,
      is_failing,
      age_seconds: (now - delivery.at) / 1_000
    }
  }

  return Alerts.of({
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() => {
        const own = [...rows.values()].filter(
          (row) => row.account_id === account_id && row.alert.workspace_id === workspace_id
        )
        return pageOf(
          own.map(({ alert, deliveries }) => ({
            ...alert,
            deliveries: deliveries.map((one) => ({
              channel_id: one.channel_id,
              status: one.status,
              attempts: one.attempts,
              next_attempt_at: one.status === "waiting" ? formatInstant(one.due_at) : null,
              last_attempt_at: one.last_at === null ? null : formatInstant(one.last_at),
              last_status: one.last_status,
              last_message: one.last_message
            }))
          })),
          page
        )
      }),
    detect: (atMost) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const due = [deadDestinations, expiringKeys].flatMap((crossings) =>
          takeFairly(
            crossings(tables, now).filter((one) => isNew(tables, one)),
            { most: atMost }
          )
        )
        return due.filter((crossing) => raiseAlert(tables, crossing, now)).length
      }),
    claim: (wanted, leaseSeconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const deliveriesOf = () =>
          [...rows.values()]
            .flatMap((row) => row.deliveries.map((delivery, index) => ({ row, delivery, index })))
            .filter(({ delivery }) => delivery.status === "waiting")
        for (;;) {
          const waiting = deliveriesOf()
          const failing = new Set(
            waiting.flatMap(({ delivery }) => (delivery.attempts > 0 ? [delivery.channel_id] : []))
          )
          const due = waiting
            .filter(({ delivery }) => delivery.due_at <= now)
            .sort((a, b) => a.delivery.due_at - b.delivery.due_at)
            .map(({ row, delivery: { channel_id }, index }) => ({
              ...{ row, index, channel_id, account_id: row.account_id },
              isMail: tables.alertChannels.get(channel_id)?.channel.type === "email",
              isFailing: failing.has(channel_id)
            }))
          const claimed = claimFairly(due, wanted)
          const turns = claimed.flatMap(
            ({ row, index, isFailing }) => take(row, index, isFailing, now, leaseSeconds * 1_000) ?? []
          )
          // Silence is no work for the caller: it would take an empty answer for the end.
          if (turns.length > 0 || claimed.length === 0) return turns
        }
      }),
    acknowledge: ({ alert, channel, token }, outcome) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = [...rows.values()].find((row) => row.alert.id === alert.id)
        const index = row?.deliveries.findIndex((one) => one.channel_id === channel.channel.id) ?? -1
        const delivery = row?.deliveries[index]
        if (row === undefined || delivery?.token !== token || delivery.status !== "waiting") return false
        const wakeAlike = () => {
          for (const other of rows.values())
            for (const [place, one] of other.deliveries.entries())
              if (
                other.alert.type === row.alert.type &&
                other.alert.subject === row.alert.subject &&
                one.channel_id === delivery.channel_id &&
                one.token === 0 &&
                one.status === "waiting"
              )
                put(other, place, { due_at: now })
        }
        const tried = { attempts: delivery.attempts + 1, last_at: now, last_status: outcome.status }
        if (outcome.kind === "delivered") {
          put(row, index, { ...tried, status: "delivered", last_message: outcome.message })
          wakeAlike()
          return true
        }
        const due_at = now + outcome.due_in_seconds * 1_000
        const status = outcome.kind === "failed" ? "failed" : "waiting"
        put(row, index, { ...tried, status, due_at, last_message: outcome.message })
        if (outcome.kind === "failed") wakeAlike()
        // What else waits for the channel would meet the same.
        for (const other of rows.values())
          for (const [place, one] of other.deliveries.entries())
            if (
              outcome.kind === "retry" &&
              one.channel_id === delivery.channel_id &&
              one.status === "waiting" &&
              one.due_at <= now
            )
              put(other, place, { due_at })
        return true
      })
  })
}
