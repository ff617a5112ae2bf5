/**
 * Holds a store to what alerts need: one row for each crossing, whoever detects it and however often; deliveries under leases; quiet time,
 * and an end for what nobody accepts.
 */
import type { AlertChannel, AlertKind } from "@gatewarden/contract"
import {
  AlertChannels,
  type AlertOutcome,
  Alerts,
  type AlertTurn,
  ApiKeys,
  type Budget,
  BudgetLedger,
  DeliveryQueue,
  Retention,
  type StorePorts,
  windowStart
} from "@gatewarden/core/store"
import { newApiKey } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { readableStream } from "../delivery/readableStream.ts"
import { eventAt, newDestination, newTenant, recordFor, type Tenant } from "../delivery/waitingEvents.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { spendingEvent } from "../usage/spendingEvent.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")
const day = 86_400_000
const leaseSeconds = 20

const iso = (millis: number): string => new Date(millis).toISOString()

const alerts = <A, E, R>(use: (port: typeof Alerts.Service) => Effect.Effect<A, E, R>) => Effect.flatMap(Alerts, use)

const newChannel = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<AlertChannel> = {}) {
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

const listed = Effect.fnUntraced(function* ({ account_id, workspace_id }: Tenant) {
  const { data, total_count } = yield* alerts((port) =>
    port.list(account_id, { workspace_id }, { limit: 100, offset: 0 })
  )
  assert.strictEqual(total_count, data.length)
  return data
})

const budgetOf = (entity: string, limit_nanos: bigint, interval: Budget["interval"] = "daily"): Budget => ({
  scope: "workspace_budget",
  entity,
  guardrail_id: null,
  interval,
  limit_nanos,
  include_byok: false
})

const hold = (tenant: Tenant, budget: Budget, nanos: bigint, admission_id: string = crypto.randomUUID()) =>
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
const deny = (tenant: Tenant, limit: bigint = 100n) =>
  Effect.asVoid(hold(tenant, budgetOf(tenant.workspace_id, limit), 1_000_000n))

const spend = Effect.fnUntraced(function* (tenant: Tenant, budget: Budget, nanos: bigint, at: number) {
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

const newKey = Effect.fnUntraced(function* (tenant: Tenant, created: number, expires: number, fields: object = {}) {
  const { record } = yield* newApiKey({ kind: "normal", ...tenant, name: "job" })
  yield* (yield* ApiKeys).insert({ ...record, created_at: iso(created), expires_at: iso(expires), ...fields })
  return record.hash
})

/** Of this account; what other tests left is claimed, too, and stays under its leases. */
const claimOf = Effect.fnUntraced(function* ({ account_id }: Tenant) {
  const turns = yield* alerts((port) => port.claim(1_000, leaseSeconds))
  return turns.filter((turn) => turn.account_id === account_id)
})

const settle = (turn: AlertTurn, outcome: AlertOutcome) => alerts((port) => port.settle(turn, outcome))
const delivered: AlertOutcome = { kind: "delivered", status: 204, message: "Not to all addresses." }
const retried: AlertOutcome = { kind: "retry", status: 500, message: "The receiver answered 500.", due_in_seconds: 60 }

const statuses = Effect.fnUntraced(function* (tenant: Tenant) {
  return (yield* listed(tenant)).flatMap(({ deliveries }) => deliveries.map(({ status }) => status))
})

export const alertsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`alerts: ${name}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(makeStore, clock)
    let tests = 0
    const test = (title: string, body: (tenant: Tenant, now: number) => Effect.Effect<void, unknown, StorePorts>) =>
      it(title, async () => {
        // Keys, leases and retries of the tests before have ended.
        clock.now = start + ++tests * 40 * day
        await run(Effect.flatMap(newTenant, (tenant) => body(tenant, clock.now)))
      })

    it("each threshold alerts once for each window and limit, exactly where it was crossed", async () => {
      const steps = fc.array(
        fc.oneof(
          { weight: 7, arbitrary: fc.record({ spend: fc.constantFrom(0n, 1n, 5n, 10n, 40n, 79n, 80n, 95n) }) },
          { weight: 3, arbitrary: fc.record({ limit: fc.constantFrom(0n, 100n, 100n, 120n) }) },
          { weight: 1, arbitrary: fc.record({ days: fc.constant(1) }) }
        ),
        { minLength: 6, maxLength: 20, size: "max" }
      )
      clock.now = start
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          const tenant = await run(Effect.tap(newTenant, (made) => newChannel(made, { events: [...budgetKinds] })))
          let [limit, spent] = [100n, 0n]
          const expected = new Set<string>()
          for (const step of steps) {
            if ("days" in step) {
              clock.now += day
              spent = 0n
            } else if ("limit" in step) limit = step.limit
            else {
              const crossed = (kind: string) =>
                expected.add(`${kind} ${iso(windowStart("daily", clock.now) ?? 0)} ${Number(limit) / 1e9}`)
              const noteSpent = () => {
                if (limit > 0n && spent * 100n >= limit * 80n) crossed("budget.spent_80")
                if (limit > 0n && spent * 100n >= limit * 95n) crossed("budget.spent_95")
              }
              noteSpent()
              const held = await run(spend(tenant, budgetOf(tenant.workspace_id, limit), step.spend, clock.now))
              assert.strictEqual(held, spent + step.spend <= limit)
              if (held) spent += step.spend
              else crossed("budget.denied")
              noteSpent()
            }
          }
          const found = (await run(listed(tenant))).map(
            ({ type, data }) => `${type} ${String(data["window_start"])} ${Number(data["limit_usd"])}`
          )
          assert.deepEqual([...found].sort(), [...expected].sort())
        }),
        { numRuns: 40 }
      )
    })

    test("what many cross at once is recorded once", (tenant) =>
      Effect.gen(function* () {
        yield* newChannel(tenant)
        yield* Effect.all(
          Array.from({ length: 20 }, () => deny(tenant)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(yield* listed(tenant), 1)
      }))

    test("keys alert a week and a day before they expire, found by many at once", (tenant, now) =>
      Effect.gen(function* () {
        const other = yield* newTenant
        yield* newChannel(tenant)
        const hash = yield* newKey(tenant, now - day, now + 30 * day)
        yield* newKey(tenant, now, now + 15 * 60_000)
        yield* newKey(tenant, now - 3 * day, now + 2 * day)
        yield* newKey(tenant, now - 60 * day, now - 1)
        yield* newKey(tenant, now - 60 * day, now + 2 * day, { disabled: true })
        yield* newKey(other, now - 60 * day, now + 2 * day)
        const detect = Effect.map(
          Effect.all(
            Array.from({ length: 5 }, () => alerts((port) => port.detect(100))),
            { concurrency: "unbounded" }
          ),
          (raised) => raised.reduce((sum, one) => sum + one, 0)
        )
        assert.strictEqual(yield* detect, 0)
        clock.now = now + 23 * day
        assert.strictEqual(yield* detect, 1)
        const [week] = yield* listed(tenant)
        assert.deepInclude(week, {
          type: "key.expiring",
          subject: hash,
          data: { key_hash: hash, key_name: "job", expires_at: iso(now + 30 * day), days: 7 }
        })
        clock.now = now + 28 * day
        assert.strictEqual(yield* detect, 0)
        clock.now = now + 29 * day
        assert.strictEqual(yield* detect, 1)
        clock.now = now + 31 * day
        assert.strictEqual(yield* detect, 0)
        assert.deepEqual(
          (yield* listed(tenant)).map(({ data }) => data["days"]),
          [7, 1]
        )
        assert.deepEqual(yield* listed(other), [])
      }))

    test("a key that is due to expire when the first channel is made alerts then, at most so many at once", (tenant, now) =>
      Effect.gen(function* () {
        for (let count = 0; count < 3; count++) yield* newKey(tenant, now - 60 * day, now + 3 * day)
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
        yield* newChannel(tenant)
        assert.strictEqual(yield* alerts((port) => port.detect(2)), 2)
        assert.strictEqual(yield* alerts((port) => port.detect(2)), 1)
        assert.strictEqual(yield* alerts((port) => port.detect(2)), 0)
      }))

    test("a destination alerts once after an hour of failures, and again when it fails anew", (tenant, now) =>
      Effect.gen(function* () {
        yield* newChannel(tenant)
        const destination = yield* newDestination(tenant, { name: "Traces" })
        const queue = yield* DeliveryQueue
        let events = 0
        const fail = Effect.gen(function* () {
          yield* recordFor(tenant, [eventAt(`e-${++events}`, tenant.workspace_id, clock.now)], [destination])
          yield* readableStream
          const turns = yield* queue.claim({ closed: 1_000, open: 1_000 }, 10)
          const turn = turns.find(({ destination_id }) => destination_id === destination)
          if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
          const attempt = {
            outcome: "failed",
            events: 1,
            accepted: 0,
            refused: 0,
            rejected_spans: 0,
            duration_ms: 1,
            status: 503,
            message: "down"
          } as const
          yield* queue.release(turn, { kind: "failed", attempt, due_in_seconds: 60, is_open: true })
        })
        yield* fail
        clock.now = now + 3_599_000
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
        clock.now = now + 3_600_000
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 1)
        yield* fail
        clock.now = now + 2 * 3_600_000
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
        const [alert] = yield* listed(tenant)
        assert.deepInclude(alert, {
          type: "destination.failing",
          subject: destination,
          data: {
            destination_id: destination,
            destination_type: "webhook",
            destination_name: "Traces",
            failing_since: iso(now),
            last_status: 503
          }
        })
        // Its alert is kept while it fails: it would be given again.
        clock.now = now + 60 * day
        yield* (yield* Retention).sweep("alerts", 0, 1_000)
        assert.lengthOf(yield* listed(tenant), 1)
        const turn = (yield* queue.claim({ closed: 1_000, open: 1_000 }, 10)).find(
          ({ destination_id }) => destination_id === destination
        )
        const batch = turn && (yield* queue.read(turn, null, { events: 10, bytes: 1_000 }))
        if (turn === undefined || batch?._tag !== "Some") return yield* Effect.die(new Error("Nothing waits"))
        const dead = [{ event_id: "e-1", status: 400, message: "refused", sealed_bodies: null }]
        const position = batch.value.position ?? ""
        yield* queue.acknowledge(turn, { position, accepted: 1, dead, answer: undefined, attempt: undefined }, 10)
        yield* queue.release(turn, { kind: "released" })
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 1)
        assert.strictEqual(yield* alerts((port) => port.detect(100)), 0)
        assert.deepInclude((yield* listed(tenant)).at(-1), {
          type: "destination.dead_letters",
          data: {
            destination_id: destination,
            destination_type: "webhook",
            destination_name: "Traces",
            day: iso(clock.now).slice(0, 10)
          }
        })
        yield* (yield* Retention).sweep("alerts", 0, 1_000)
        assert.deepEqual(
          (yield* listed(tenant)).map(({ type }) => type),
          ["destination.dead_letters"]
        )
      }))

    test("a delivery has one holder at a time, and another one after its lease", (tenant, now) =>
      Effect.gen(function* () {
        const channel_id = yield* newChannel(tenant)
        yield* deny(tenant)
        const claims = yield* Effect.all(
          Array.from({ length: 10 }, () => claimOf(tenant)),
          { concurrency: "unbounded" }
        )
        const [first, ...others] = claims.flat()
        assert.deepEqual(others, [])
        assert.deepInclude(first, { attempts: 0, age_seconds: 0 })
        assert.strictEqual(first?.channel.channel.id, channel_id)
        assert.deepEqual([...(first?.channel.sealed_config ?? [])], [1])
        clock.now = now + leaseSeconds * 1_000
        const [second] = yield* claimOf(tenant)
        assert.strictEqual(second?.alert.id, first?.alert.id)
        if (first === undefined || second === undefined) return yield* Effect.die(new Error("Nothing is due"))
        assert.isFalse(yield* settle(first, delivered))
        assert.isTrue(yield* settle(second, delivered))
        assert.isFalse(yield* settle(second, retried))
        clock.now = now + day
        assert.deepEqual(yield* claimOf(tenant), [])
        assert.deepEqual((yield* listed(tenant))[0]?.deliveries, [
          {
            channel_id,
            status: "delivered",
            attempts: 1,
            next_attempt_at: null,
            last_attempt_at: iso(now + leaseSeconds * 1_000),
            last_status: 204,
            last_message: "Not to all addresses."
          }
        ])
      }))

    test("a failure postpones what waits for the channel, and nothing else", (tenant, now) =>
      Effect.gen(function* () {
        const one = yield* newChannel(tenant)
        yield* deny(tenant)
        const [turn] = yield* claimOf(tenant)
        if (turn === undefined) return yield* Effect.die(new Error("Nothing is due"))
        const two = yield* newChannel(tenant)
        yield* deny(tenant, 101n)
        assert.isTrue(yield* settle(turn, retried))
        const others = yield* claimOf(tenant)
        assert.deepEqual(
          others.map(({ channel }) => channel.channel.id),
          [two]
        )
        clock.now = now + 60_000
        const later = yield* claimOf(tenant)
        assert.deepEqual(
          later
            .filter(({ channel }) => channel.channel.id === one)
            .map(({ attempts }) => attempts)
            .sort(),
          [0, 1]
        )
        const again = later.find(({ attempts }) => attempts === 1)
        if (again === undefined) return yield* Effect.die(new Error("It is not repeated"))
        assert.isTrue(yield* settle(again, { ...retried, kind: "failed" }))
        const alert = (yield* listed(tenant)).find(({ id }) => id === again.alert.id)
        const failed = alert?.deliveries.find(({ channel_id }) => channel_id === one)
        assert.deepInclude(failed, { status: "failed", attempts: 2, next_attempt_at: null, last_status: 500 })
      }))

    test("what waits for a channel that is disabled or deleted ends", (tenant) =>
      Effect.gen(function* () {
        const channels = yield* AlertChannels
        const [disabled, deleted] = [yield* newChannel(tenant), yield* newChannel(tenant)]
        yield* deny(tenant)
        yield* channels.update(tenant.account_id, disabled, { enabled: false }, undefined, iso(clock.now))
        yield* channels.remove(tenant.account_id, deleted)
        assert.deepEqual(yield* claimOf(tenant), [])
        const found = (yield* listed(tenant))[0]?.deliveries ?? []
        assert.deepEqual(
          new Map(found.map(({ channel_id, status, last_message }) => [channel_id, `${status}: ${last_message}`])),
          new Map([
            [disabled, "failed: The channel was disabled."],
            [deleted, "failed: The channel was deleted."]
          ])
        )
      }))

    test("quiet time silences the same type and subject, and nothing else", (tenant, now) =>
      Effect.gen(function* () {
        yield* newChannel(tenant, { quiet_time_seconds: 600 })
        yield* deny(tenant, 100n)
        yield* deny(tenant, 101n)
        const first = yield* claimOf(tenant)
        assert.lengthOf(first, 1)
        assert.sameMembers(yield* statuses(tenant), ["waiting", "waiting"])
        if (first[0] !== undefined) yield* settle(first[0], delivered)
        assert.deepEqual(yield* claimOf(tenant), [])
        assert.sameMembers(yield* statuses(tenant), ["delivered", "quiet"])
        clock.now = now + 599_000
        yield* deny(tenant, 102n)
        assert.deepEqual(yield* claimOf(tenant), [])
        yield* Effect.asVoid(hold(tenant, budgetOf(tenant.workspace_id, 1n, "monthly"), 5n))
        assert.lengthOf(yield* claimOf(tenant), 1)
        clock.now = now + 600_000
        yield* deny(tenant, 103n)
        assert.lengthOf(yield* claimOf(tenant), 1)
        const count = (all: readonly string[], status: string) => all.filter((one) => one === status).length
        assert.strictEqual(count(yield* statuses(tenant), "quiet"), 2)
      }))

    test("what nobody was told of silences nothing", (tenant, now) =>
      Effect.gen(function* () {
        yield* newChannel(tenant, { quiet_time_seconds: 600 })
        yield* deny(tenant, 100n)
        const [turn] = yield* claimOf(tenant)
        if (turn === undefined) return yield* Effect.die(new Error("Nothing is due"))
        yield* settle(turn, { ...retried, kind: "failed" })
        clock.now = now + 1_000
        yield* deny(tenant, 101n)
        assert.lengthOf(yield* claimOf(tenant), 1)
      }))

    test("what waits while one alike is tried is sent when that one fails for good, however often it was tried", (tenant, now) =>
      Effect.gen(function* () {
        yield* newChannel(tenant, { quiet_time_seconds: 600 })
        yield* deny(tenant, 100n)
        yield* deny(tenant, 101n)
        const [first] = yield* claimOf(tenant)
        if (first === undefined) return yield* Effect.die(new Error("Nothing is due"))
        yield* settle(first, retried)
        clock.now = now + 60_000
        yield* deny(tenant, 102n)
        const [again, ...others] = yield* claimOf(tenant)
        assert.deepEqual(others, [])
        if (again?.alert.id !== first.alert.id) return yield* Effect.die(new Error("Another one was taken"))
        clock.now += 1_000
        assert.deepEqual(yield* claimOf(tenant), [])
        yield* settle(again, { ...retried, kind: "failed" })
        const [second, ...later] = yield* claimOf(tenant)
        assert.deepEqual(later, [])
        if (second === undefined) return yield* Effect.die(new Error("The later one is swallowed"))
        assert.notStrictEqual(second.alert.id, first.alert.id)
        yield* settle(second, delivered)
        assert.deepEqual(yield* claimOf(tenant), [])
        assert.sameMembers(yield* statuses(tenant), ["failed", "delivered", "quiet"])
      }))

    test("alerts are forgotten after their time, with their deliveries", (tenant, now) =>
      Effect.gen(function* () {
        yield* newChannel(tenant)
        yield* deny(tenant)
        const retention = yield* Retention
        clock.now = now + 10 * day
        yield* retention.sweep("alerts", 11 * 86_400, 1_000)
        assert.lengthOf(yield* listed(tenant), 1)
        assert.isAtLeast(yield* retention.sweep("alerts", 9 * 86_400, 1_000), 1)
        assert.deepEqual(yield* listed(tenant), [])
        assert.deepEqual(yield* claimOf(tenant), [])
      }))
  })
}

const budgetKinds: readonly AlertKind[] = ["budget.spent_80", "budget.spent_95", "budget.denied"]
