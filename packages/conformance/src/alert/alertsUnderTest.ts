/** A store whose alerts are under test: a clock, tenants, and the steps that tests share. */
import type { AlertChannel, AlertKind } from "@gatewarden/contract"
import {
  newApiKey,
  AlertChannels,
  type AlertOutcome,
  Alerts,
  type AlertLease,
  ApiKeys,
  type Budget,
  BudgetLedger,
  DeliveryQueue,
  type StorePorts,
  type WantedAlerts
} from "@gatewarden/core/internal"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { readableStream } from "../delivery/readableStream.ts"
import { eventAt, newTenant, recordFor, type Tenant } from "../delivery/waitingEvents.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { spendingEvent } from "../usage/spendingEvent.ts"

export const start = Date.parse("2026-03-04T12:00:00.000Z")
export const day = 86_400_000
export const leaseSeconds = 20

export const iso = (millis: number): string => new Date(millis).toISOString()

export const alerts = <A, E, R>(use: (port: typeof Alerts.Service) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Alerts, use)

export const newChannel = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<AlertChannel> = {}) {
  const channel = {
    id: crypto.randomUUID(),
    workspace_id: tenant.workspace_id,
    name: "ops",
    type: "webhook",
    config: { url: "https://ops.example.com/", signing_secret: "wh...AAAA" },
    events: ["budget.denied", "key.expiring", "destination.failing", "destination.dead_letters"],
    quiet_time_seconds: 0,
    enabled: true,
    created_at: iso(start),
    updated_at: null,
    ...fields
  } as AlertChannel
  const outcome = yield* (yield* AlertChannels).insert(tenant.account_id, channel, new Uint8Array([1]))
  return outcome === "inserted" ? channel.id : yield* Effect.die(new Error(outcome))
})

export const listed = Effect.fnUntraced(function* ({ account_id, workspace_id }: Tenant) {
  const { data, total_count } = yield* alerts((port) =>
    port.list(account_id, { workspace_id }, { limit: 100, offset: 0 })
  )
  assert.strictEqual(total_count, data.length)
  return data
})

export const budgetOf = (entity: string, limit_nanos: bigint, interval: Budget["interval"] = "daily"): Budget => ({
  scope: "workspace_budget",
  entity,
  guardrail_id: null,
  interval,
  limit_nanos,
  include_byok: false
})

export const hold = (tenant: Tenant, budget: Budget, nanos: bigint, admission_id: string = crypto.randomUUID()) =>
  Effect.flatMap(BudgetLedger, (ledger) =>
    ledger.hold(tenant.account_id, {
      admission_id,
      workspace_id: tenant.workspace_id,
      key_hash: "a".repeat(64),
      user_id: null,
      budgets: [budget],
      costs: [{ nanos, byok: false }],
      hold_seconds: 60
    })
  )

/** Denies a request: a crossing for each limit. */
export const deny = (tenant: Tenant, limit: bigint = 100n) =>
  Effect.asVoid(hold(tenant, budgetOf(tenant.workspace_id, limit), 1_000_000n))

export const spend = Effect.fnUntraced(function* (tenant: Tenant, budget: Budget, nanos: bigint, at: number) {
  const id = crypto.randomUUID()
  const { held } = yield* hold(tenant, budget, nanos, id)
  if (!held) return false
  yield* (yield* BudgetLedger).settle(
    tenant.account_id,
    spendingEvent({
      id,
      created_at: iso(at),
      workspace_id: tenant.workspace_id,
      api_key_hash: "a".repeat(64),
      user_id: null,
      cost_nanos: nanos
    })
  )
  return true
})

export const newKey = Effect.fnUntraced(function* (
  tenant: Tenant,
  created: number,
  expires: number,
  fields: object = {}
) {
  const { record } = yield* newApiKey({ kind: "normal", ...tenant, name: "job" })
  yield* (yield* ApiKeys).insert({ ...record, created_at: iso(created), expires_at: iso(expires), ...fields })
  return record.hash
})

/** Records an event for a destination, and takes its turn. */
export const takeEvent = Effect.fnUntraced(function* (
  tenant: Tenant,
  destination: string,
  event_id: string,
  now: number
) {
  yield* recordFor(tenant, [eventAt(event_id, tenant.workspace_id, now)], [destination])
  yield* readableStream
  const queue = yield* DeliveryQueue
  const turns = yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 10)
  const turn = turns.find(({ destination_id }) => destination_id === destination)
  const batch = turn && (yield* queue.read(turn, null, { events: 10, bytes: 1_000 }))
  if (turn === undefined || batch?._tag !== "Some") return yield* Effect.die(new Error("Nothing waits"))
  return { queue, turn, position: batch.value.position ?? "" }
})

/** Records an event for a destination whose platform then refuses it: a dead letter. */
export const refuseEvent = Effect.fnUntraced(function* (tenant: Tenant, destination: string, now: number) {
  const event_id = crypto.randomUUID()
  const { queue, turn, position } = yield* takeEvent(tenant, destination, event_id, now)
  const dead = [{ event_id, status: 400, message: "refused", sealed_bodies: null }]
  yield* queue.acknowledge(turn, { position, accepted: 1, dead, answer: undefined, attempt: undefined }, 10)
  yield* queue.release(turn, { kind: "released" })
})

/** As much as there is, of every account. */
export const wantedOfAll: WantedAlerts = { well: { most: 1_000 }, failing: { most: 1_000 }, busy: new Set() }

/** Of this account; what other tests left is claimed, too, and stays under its leases. */
export const claimOf = Effect.fnUntraced(function* ({ account_id }: Tenant) {
  const turns = yield* alerts((port) => port.claim(wantedOfAll, leaseSeconds))
  return turns.filter((turn) => turn.account_id === account_id)
})

export const acknowledge = (turn: AlertLease, outcome: AlertOutcome) =>
  alerts((port) => port.acknowledge(turn, outcome))
export const delivered: AlertOutcome = { kind: "delivered", status: 204, message: "Not to all addresses." }
export const retried = {
  kind: "retry",
  status: 500,
  message: "The receiver answered 500.",
  due_in_seconds: 60
} as const satisfies AlertOutcome

export const statuses = Effect.fnUntraced(function* (tenant: Tenant) {
  return (yield* listed(tenant)).flatMap(({ deliveries }) => deliveries.map(({ status }) => status))
})

export const budgetKinds: readonly AlertKind[] = ["budget.spent_80", "budget.spent_95", "budget.denied"]

export interface AlertsUnderTest {
  readonly clock: { now: number }
  readonly run: <A, E>(program: Effect.Effect<A, E, StorePorts>) => Promise<A>
  /** Declares a test, with a tenant of its own. */
  readonly test: (
    title: string,
    body: (tenant: Tenant, now: number) => Effect.Effect<void, unknown, StorePorts>
  ) => void
}

export const alertsUnderTest = (makeStore: () => Layer.Layer<StorePorts, unknown>): AlertsUnderTest => {
  const clock = { now: start }
  const run = storeUnderTest(makeStore, clock)
  let tests = 0
  return {
    clock,
    run,
    test: (title, body) =>
      it(title, async () => {
        // Keys, leases and retries of the tests before have ended.
        clock.now = start + ++tests * 40 * day
        await run(Effect.flatMap(newTenant, (tenant) => body(tenant, clock.now)))
      })
  }
}
