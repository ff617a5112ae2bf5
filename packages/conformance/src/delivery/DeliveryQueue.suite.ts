/**
 * Holds a store to what deliveries need: events wait from the moment they are recorded, each destination has a position of its own under a
 * lease, and what waits for nobody is removed.
 */
import {
  DeadLetters,
  type DeliveryAttempt,
  DeliveryLog,
  Destinations,
  type DeliveryLease,
  keptAttempts,
  Retention,
  SealedSecrets,
  type StorePorts,
  type WantedSlots,
  Workspaces
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { deliveredTogetherSuite } from "./deliveredTogether.suite.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import {
  claimAll,
  claimOf,
  eventsOf,
  idsOf,
  leaseSeconds,
  many,
  pass,
  queue,
  read,
  release,
  turnOf,
  waiting
} from "./deliveryLeases.ts"
import { readableStream } from "./readableStream.ts"
import { eventAt, newDestination, newTenant, recordFor, settleFor, type Tenant } from "./waitingEvents.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")
const failedAttempt: DeliveryAttempt = {
  outcome: "failed",
  events: 1,
  accepted: 0,
  refused: 0,
  rejected_spans: 0,
  duration_ms: 7,
  status: null,
  message: "timeout"
}
const sealedBodies = Effect.map(
  Effect.flatMap(SealedSecrets, (secrets) => secrets.count("delivery.bodies", "none")),
  ({ total }) => total
)

export const deliveryQueueSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`deliveries: ${name}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(makeStore, clock)
    let tests = 0
    const test = (title: string, body: (tenant: Tenant, now: number) => Effect.Effect<void, unknown, StorePorts>) =>
      it(title, async () => {
        // Leases of the tests before have ended.
        clock.now = start + ++tests * 3_600_000
        await run(Effect.flatMap(newTenant, (tenant) => body(tenant, clock.now)))
      })
    test("an event waits once, in the order in which it was recorded", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["c", "a", "b", "a"], now), [own])
        yield* recordFor(tenant, eventsOf(tenant, ["b", "e"], now), [own])
        yield* settleFor(tenant, eventAt("d", tenant.workspace_id, now), [own])
        yield* settleFor(tenant, eventAt("d", tenant.workspace_id, now), [own])
        const turn = yield* turnOf(own)
        const batch = yield* read(turn)
        assert.deepEqual(idsOf(batch), ["c", "a", "b", "e", "d"])
        assert.isTrue(batch.receives)
        assert.deepEqual(batch.events[0]?.event, eventAt("c", tenant.workspace_id, now))
        const two = yield* read(turn, { events: 2, bytes: 1 })
        assert.deepEqual(idsOf(two), ["c", "a"])
        const rest = yield* read(turn, many, two.position)
        assert.deepEqual(idsOf(rest), ["b", "e", "d"])
        assert.isNull((yield* read(turn, many, rest.position)).position)
        assert.isTrue(yield* pass(turn, rest.position))
        assert.isTrue(yield* release(turn))
      }))

    test("rows go when the last destination has passed them, with their bodies", (tenant, now) =>
      Effect.gen(function* () {
        const before = yield* waiting
        const bodies = yield* sealedBodies
        const first = yield* newDestination(tenant)
        const second = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["both"], now), [first, second], () => new Uint8Array([1, 2, 3, 4]))
        yield* recordFor(tenant, eventsOf(tenant, ["one"], now), [second])
        const turns = yield* claimAll
        const [a, b] = [first, second].map((id) => turns.find(({ destination_id }) => destination_id === id))
        if (a === undefined || b === undefined) return assert.fail("both are due")
        const seen = yield* read(a)
        assert.deepEqual(idsOf(seen), ["both"])
        assert.deepEqual([...(seen.events[0]?.sealed_bodies ?? [])], [1, 2, 3, 4])
        yield* pass(a, seen.position)
        assert.strictEqual(yield* waiting, before + 2)
        assert.strictEqual(yield* sealedBodies, bodies + 1)
        const batch = yield* read(b)
        yield* pass(b, batch.events[0]?.position ?? null)
        assert.strictEqual(yield* waiting, before + 1)
        assert.strictEqual(yield* sealedBodies, bodies)
        yield* pass(b, batch.position)
        assert.strictEqual(yield* waiting, before)
        yield* release(a)
        yield* release(b)
        assert.isUndefined(yield* claimOf(first))
      }))

    test("one holder at a time works for a destination, fenced by its token", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [own])
        const old = yield* turnOf(own)
        assert.isUndefined(yield* claimOf(own))
        clock.now += leaseSeconds * 1_000
        const next = yield* turnOf(own)
        assert.isAbove(next.token, old.token)
        const batch = yield* read(next)
        assert.isTrue(Option.isNone(yield* queue((port) => port.read(old, null, many))))
        assert.isFalse(yield* pass(old, batch.position))
        assert.isFalse(yield* release(old))
        assert.deepEqual(idsOf(yield* read(next)), ["a", "b"])
        yield* pass(next, batch.position)
        yield* release(next)
      }))

    test("what comes while a turn lasts makes its destination due again", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a"], now), [own])
        const turn = yield* turnOf(own)
        const batch = yield* read(turn)
        yield* recordFor(tenant, eventsOf(tenant, ["b"], now), [own])
        yield* pass(turn, batch.position)
        assert.isNull((yield* read(turn)).position)
        yield* readableStream
        yield* release(turn)
        const again = yield* turnOf(own)
        assert.deepEqual(idsOf(yield* read(again)), ["b"])
        yield* pass(again, (yield* read(again)).position)
        yield* release(again)
        const idle = yield* queue((port) => port.stateOf(tenant.account_id, own))
        assert.isNull(Option.getOrThrow(idle).due_at)
      }))

    test("failures postpone, open the breaker, and end with an accepted event", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a"], now), [own])
        const failed = (turn: DeliveryLease, is_open: boolean) =>
          queue((port) =>
            port.release(turn, {
              kind: "failed",
              attempt: { ...failedAttempt, status: 500, message: "no" },
              due_in_seconds: 60,
              is_open
            })
          )
        yield* failed(yield* turnOf(own), false)
        assert.isUndefined(yield* claimOf(own))
        clock.now += 60_000
        const second = yield* turnOf(own)
        assert.deepInclude(second, { failures: 1, failing_since: now, is_open: false })
        yield* failed(second, true)
        clock.now += 60_000
        assert.isEmpty(yield* queue((port) => port.claim({ closed: { most: 9 }, open: { most: 0 } }, leaseSeconds)))
        const third = yield* turnOf(own)
        assert.deepInclude(third, { failures: 2, failing_since: now, is_open: true })
        const state = Option.getOrThrow(yield* queue((port) => port.stateOf(tenant.account_id, own)))
        assert.deepInclude(state, { last_status: 500, last_message: "no", failures: 2, delivered: 0 })
        assert.isTrue(Option.isNone(yield* queue((port) => port.stateOf(crypto.randomUUID(), own))))
        yield* pass(third, (yield* read(third)).position, { answer: { status: 200, message: null } })
        yield* release(third)
        const well = Option.getOrThrow(yield* queue((port) => port.stateOf(tenant.account_id, own)))
        assert.deepInclude(well, { failures: 0, failing_since: null, is_open: false, delivered: 1, last_status: 200 })
      }))

    test("an account gets its share of a claim, and who is due later theirs", (tenant, now) =>
      Effect.gen(function* () {
        yield* claimAll
        const due = Effect.fnUntraced(function* (of: Tenant) {
          const own = yield* newDestination(of)
          yield* recordFor(of, eventsOf(of, [own], now), [own])
          yield* readableStream
          clock.now += 10
        })
        for (let count = 0; count < 4; count++) yield* due(tenant)
        const other = yield* newTenant
        yield* due(other)
        const claim = (closed: WantedSlots) =>
          Effect.map(
            queue((port) => port.claim({ closed, open: { most: 9 } }, leaseSeconds)),
            (turns) => turns.map(({ account_id }) => account_id)
          )
        const [one, two] = [tenant.account_id, other.account_id]
        assert.sameMembers(yield* claim({ most: 2 }), [one, two])
        assert.isEmpty(yield* claim({ most: 9, ofHolders: new Map([[one, 0]]) }))
        assert.sameMembers(yield* claim({ most: 9, ofAccount: 2 }), [one, one])
        assert.sameMembers(yield* claim({ most: 9, ofAccount: 0, ofHolders: new Map([[one, 1]]) }), [one])
      }))

    test("dead letters are kept, listed, and put at the end of the stream again", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        const other = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [own, other])
        const turn = yield* turnOf(own)
        const letter = { status: 400, message: "bad", sealed_bodies: new Uint8Array([7]) }
        const dead = ["a", "b"].map((event_id) => ({ event_id, ...letter }))
        yield* pass(turn, (yield* read(turn)).position, { accepted: 0, dead })
        yield* release(turn)
        const letters = yield* DeadLetters
        const page = yield* letters.list(tenant.account_id, own, { limit: 1, offset: 0 })
        assert.strictEqual(page.total_count, 2)
        assert.deepInclude(page.data[0], { event_id: "b", status: 400, message: "bad", died_at: clock.now })
        assert.strictEqual((yield* letters.list(tenant.account_id, other, { limit: 9, offset: 0 })).total_count, 0)
        assert.strictEqual((yield* letters.list(crypto.randomUUID(), own, { limit: 9, offset: 0 })).total_count, 0)
        const at = new Date(clock.now).toISOString()
        const asked = [
          { event_id: "b", sealed_bodies: null },
          { event_id: "gone", sealed_bodies: null }
        ]
        assert.strictEqual(yield* letters.requeue(crypto.randomUUID(), own, asked, at), 0)
        assert.strictEqual(yield* letters.requeue(tenant.account_id, own, asked, at), 1)
        assert.strictEqual(yield* letters.requeue(tenant.account_id, own, asked, at), 0)
        const left = yield* letters.find(tenant.account_id, own, ["a", "b"], 1_000)
        assert.deepEqual(
          left.map(({ event_id, sealed_bodies }) => [event_id, [...(sealed_bodies ?? [])]]),
          [["a", [7]]]
        )
        const again = yield* turnOf(own)
        assert.deepEqual(idsOf(yield* read(again)), ["b"])
      }))

    test("a destination that is disabled, or whose workspace turned delivery off, receives nothing", (tenant, now) =>
      Effect.gen(function* () {
        const destinations = yield* Destinations
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a"], now), [own])
        const turn = yield* turnOf(own)
        const at = new Date(now).toISOString()
        yield* destinations.update(tenant.account_id, own, { enabled: false }, undefined, at)
        assert.isFalse((yield* read(turn)).receives)
        assert.isEmpty(yield* destinations.receiving(tenant.account_id, tenant.workspace_id))
        yield* destinations.update(tenant.account_id, own, { enabled: true }, undefined, at)
        assert.isTrue((yield* read(turn)).receives)
        const received = yield* destinations.receiving(tenant.account_id, tenant.workspace_id)
        assert.deepEqual(
          received.map(({ id }) => id),
          [own]
        )
        assert.isEmpty(yield* destinations.receiving(crypto.randomUUID(), tenant.workspace_id))
        const off = { is_observability_broadcast_enabled: false }
        yield* (yield* Workspaces).update(tenant.account_id, tenant.workspace_id, off, at)
        assert.isFalse((yield* read(turn)).receives)
        assert.isEmpty(yield* destinations.receiving(tenant.account_id, tenant.workspace_id))
      }))

    test("a changed destination is due at once, and what waits for a deleted one is removed", (tenant, now) =>
      Effect.gen(function* () {
        const before = yield* waiting
        const destinations = yield* Destinations
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [own])
        const turn = yield* turnOf(own)
        const [a] = (yield* read(turn)).events
        const dead = [{ event_id: "a", status: null, message: "no", sealed_bodies: null }]
        yield* pass(turn, a?.position ?? null, { accepted: 0, dead })
        yield* queue((port) =>
          port.release(turn, { kind: "failed", attempt: failedAttempt, due_in_seconds: 600, is_open: true })
        )
        assert.isUndefined(yield* claimOf(own))
        yield* destinations.update(tenant.account_id, own, { name: "Other" }, undefined, new Date(now).toISOString())
        const again = yield* turnOf(own)
        assert.isTrue(yield* destinations.remove(tenant.account_id, own))
        const batch = yield* read(again)
        assert.isFalse(batch.receives)
        yield* pass(again, batch.position, { accepted: 0 })
        yield* release(again)
        assert.strictEqual(yield* waiting, before)
        assert.isTrue(Option.isNone(yield* queue((port) => port.stateOf(tenant.account_id, own))))
        const left = yield* (yield* DeadLetters).list(tenant.account_id, own, { limit: 9, offset: 0 })
        assert.strictEqual(left.total_count, 0)
      }))

    test("a destination whose rows are gone is passed over once, and then is idle or removed", (tenant, now) =>
      Effect.gen(function* () {
        const destinations = yield* Destinations
        const kept = yield* newDestination(tenant)
        const deleted = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [kept, deleted])
        yield* readableStream
        clock.now += 200_000
        while ((yield* (yield* Retention).sweep("deliveries", 100, 500)) > 0);
        assert.isTrue(yield* destinations.remove(tenant.account_id, deleted))
        const turns = yield* claimAll
        for (const own of [kept, deleted]) {
          const turn = turns.find(({ destination_id }) => destination_id === own)
          if (turn === undefined) return assert.fail("both are due")
          const batch = yield* read(turn)
          assert.isEmpty(batch.events)
          assert.isTrue(yield* pass(turn, batch.position, { accepted: 0 }))
          assert.isNull((yield* read(turn)).position)
          yield* release(turn)
          assert.isUndefined(yield* claimOf(own))
        }
        assert.isTrue(Option.isNone(yield* queue((port) => port.stateOf(tenant.account_id, deleted))))
      }))

    test("a change during a turn makes the destination due at once, and once", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a"], now), [own])
        const failed = (turn: DeliveryLease) =>
          queue((port) =>
            port.release(turn, { kind: "failed", attempt: failedAttempt, due_in_seconds: 600, is_open: false })
          )
        const turn = yield* turnOf(own)
        const at = new Date(now).toISOString()
        yield* (yield* Destinations).update(tenant.account_id, own, { name: "Other" }, undefined, at)
        assert.isTrue(yield* failed(turn))
        assert.isTrue(yield* failed(yield* turnOf(own)))
        assert.isUndefined(yield* claimOf(own))
      }))

    test("the last attempts are kept and listed, the latest first", (tenant, now) =>
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const own = yield* newDestination(tenant)
        const other = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [own, other])
        const turn = yield* turnOf(own)
        const { position } = yield* read(turn)
        const attempt = { ...failedAttempt, outcome: "delivered", events: 2, accepted: 2, status: 200 } as const
        const whole = { ...attempt, message: null, rejected_spans: 3 }
        for (let count = 0; count < keptAttempts + 2; count++)
          yield* pass(turn, position, { accepted: 0, attempt: whole })
        clock.now += 1_000
        yield* queue((port) =>
          port.release(turn, { kind: "failed", attempt: failedAttempt, due_in_seconds: 60, is_open: false })
        )
        const page = yield* log.attempts(tenant.account_id, own, { limit: 2, offset: 0 })
        assert.deepEqual(page, {
          data: [
            { ...failedAttempt, number: keptAttempts + 3, ended_at: now + 1_000 },
            { ...whole, number: keptAttempts + 2, ended_at: now }
          ],
          total_count: keptAttempts
        })
        const last = yield* log.attempts(tenant.account_id, own, { limit: 2, offset: keptAttempts - 1 })
        assert.deepEqual(
          last.data.map((each) => each.number),
          [4]
        )
        const failures = yield* log.attempts(tenant.account_id, own, { limit: 2, offset: 0, outcome: "failed" })
        assert.deepEqual(failures, { data: page.data.slice(0, 1), total_count: 1 })
        const successes = yield* log.attempts(tenant.account_id, own, { limit: 1, offset: 1, outcome: "delivered" })
        assert.deepEqual(
          [successes.data.map((each) => each.number), successes.total_count],
          [[keptAttempts + 1], keptAttempts - 1]
        )
        const none = { data: [], total_count: 0 }
        assert.deepEqual(yield* log.attempts(tenant.account_id, own, { limit: 2, offset: 0, outcome: "refused" }), none)
        assert.deepEqual(yield* log.attempts(tenant.account_id, other, { limit: 2, offset: 0 }), none)
        assert.deepEqual(yield* log.attempts(crypto.randomUUID(), own, { limit: 2, offset: 0 }), none)
        clock.now += 100_000
        while ((yield* (yield* Retention).sweep("delivery_attempts", 100, 300)) > 0);
        const left = yield* log.attempts(tenant.account_id, own, { limit: 2, offset: 0 })
        assert.deepEqual(
          left.data.map((each) => each.number),
          [keptAttempts + 3]
        )
        assert.isTrue(yield* (yield* Destinations).remove(tenant.account_id, own))
        assert.deepEqual(yield* log.attempts(tenant.account_id, own, { limit: 2, offset: 0 }), none)
      }))

    test("what a destination has not passed is counted", (tenant, now) =>
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const own = yield* newDestination(tenant)
        const other = yield* newDestination(tenant)
        const nothing = { waiting: 0, oldest_at: null }
        assert.deepEqual(yield* log.waiting(tenant.account_id, own), nothing)
        yield* recordFor(tenant, eventsOf(tenant, ["a"], now), [other])
        yield* recordFor(tenant, eventsOf(tenant, ["b", "c"], now + 1_000), [own, other])
        assert.deepEqual(yield* log.waiting(tenant.account_id, own), { waiting: 2, oldest_at: now + 1_000 })
        assert.deepEqual(yield* log.waiting(tenant.account_id, other), { waiting: 3, oldest_at: now })
        assert.deepEqual(yield* log.waiting(crypto.randomUUID(), own), nothing)
        const turn = yield* turnOf(own)
        const [first] = (yield* read(turn)).events
        yield* pass(turn, first?.position ?? null)
        assert.deepEqual(yield* log.waiting(tenant.account_id, own), { waiting: 1, oldest_at: now + 1_000 })
        const state = Option.getOrThrow(yield* queue((port) => port.stateOf(tenant.account_id, own)))
        assert.deepInclude(state, { delivered_at: now, delivered: 1 })
        const { destinations } = yield* queue((port) => port.backlog)
        assert.include(
          destinations.map(({ type }) => type),
          "webhook"
        )
        assert.isAtLeast(destinations.find(({ type }) => type === "webhook")?.waiting ?? 0, 2)
      }))

    test("dead letters are read from the oldest on, up to an instant", (tenant, now) =>
      Effect.gen(function* () {
        const letters = yield* DeadLetters
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b", "c"], now), [own])
        const turn = yield* turnOf(own)
        for (const { position, event } of (yield* read(turn)).events) {
          const dead = [{ event_id: event.id, status: null, message: "no", sealed_bodies: null }]
          yield* pass(turn, position, { accepted: 0, dead })
          clock.now += 10
        }
        const until = (account_id: string, at: number, limit: number) =>
          letters.diedUntil(account_id, own, new Date(at).toISOString(), limit)
        assert.deepEqual(yield* until(tenant.account_id, now + 10, 9), ["a", "b"])
        assert.deepEqual(yield* until(tenant.account_id, now + 1_000, 2), ["a", "b"])
        assert.deepEqual(yield* until(tenant.account_id, now - 1, 9), [])
        assert.deepEqual(yield* until(crypto.randomUUID(), now + 1_000, 9), [])
      }))

    test("dead letters are found in the order asked, up to so many bytes of bodies, at least one", (tenant, now) =>
      Effect.gen(function* () {
        const letters = yield* DeadLetters
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b", "c", "d"], now), [own])
        const turn = yield* turnOf(own)
        const answer = { status: 400, message: "no" }
        const dead = Object.entries({ a: 10, b: 20, c: 0, d: 30 }).map(([event_id, size]) => ({
          ...{ event_id, ...answer, sealed_bodies: size === 0 ? null : new Uint8Array(size).fill(7) }
        }))
        yield* pass(turn, (yield* read(turn)).position, { accepted: 0, dead })
        const found = (event_ids: readonly string[], bytes: number) =>
          Effect.map(letters.find(tenant.account_id, own, event_ids, bytes), (some) =>
            some.map(({ event_id, sealed_bodies }) => [event_id, sealed_bodies?.length])
          )
        assert.deepEqual(yield* found(["d", "gone", "b", "c", "a"], 60), [
          ["d", 30],
          ["b", 20],
          ["c", undefined],
          ["a", 10]
        ])
        assert.deepEqual(yield* found(["b", "gone", "c", "d", "a"], 49), [
          ["b", 20],
          ["c", undefined]
        ])
        assert.deepEqual(yield* found(["gone", "d", "a"], 29), [["d", 30]])
        assert.deepEqual(yield* found(["gone"], 29), [])
      }))

    test("retention removes what waits for too long, and old dead letters", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        yield* recordFor(tenant, eventsOf(tenant, ["a", "b"], now), [own])
        const turn = yield* turnOf(own)
        const [a] = (yield* read(turn)).events
        const dead = [{ event_id: "a", status: null, message: "no", sealed_bodies: null }]
        yield* pass(turn, a?.position ?? null, { accepted: 0, dead })
        yield* release(turn)
        const retention = yield* Retention
        yield* retention.sweep("deliveries", 100, 500)
        assert.isAbove(yield* waiting, 0)
        clock.now += 200_000
        while ((yield* retention.sweep("deliveries", 100, 500)) > 0);
        assert.strictEqual(yield* waiting, 0)
        const letters = yield* DeadLetters
        yield* retention.sweep("dead_letters", 100, 500)
        assert.strictEqual((yield* letters.list(tenant.account_id, own, { limit: 9, offset: 0 })).total_count, 0)
      }))
  })
  deliveredTogetherSuite(name, makeStore)
}
