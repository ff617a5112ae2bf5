/**
 * Holds a store to what is true of events that were recorded together, however the store keeps them: each has a place of its own, in the order in
 * which they were sent, and waits for its own destinations.
 */
import { DeadLetters, DeliveryLog, type DeliveryLease, type StorePorts, UsageLog } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { claimAll, eventsOf, idsOf, many, pass, read, release, turnOf, waiting } from "./deliveryLeases.ts"
import { eventAt, newDestination, newTenant, recordFor, settleFor, type Tenant } from "./waitingEvents.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")

export const deliveredTogetherSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`events that are delivered together: ${name}`, () => {
    const run = storeUnderTest(makeStore, { now: start })
    const test = (title: string, body: (tenant: Tenant, now: number) => Effect.Effect<void, unknown, StorePorts>) =>
      it(title, () => run(Effect.flatMap(newTenant, (tenant) => body(tenant, start))))

    test("a position may lie between events that were recorded together", (tenant, now) =>
      Effect.gen(function* () {
        const before = yield* waiting
        const first = yield* newDestination(tenant)
        const second = yield* newDestination(tenant)
        const together = Array.from({ length: 1_007 }, (_, index) => `e${index}`)
        yield* recordFor(tenant, eventsOf(tenant, together, now), [first, second])
        yield* recordFor(tenant, eventsOf(tenant, ["last"], now), [second])
        const all = [...together, "last"]
        const turns = yield* claimAll
        const [a, b] = [first, second].map((id) => turns.find(({ destination_id }) => destination_id === id))
        if (a === undefined || b === undefined) return assert.fail("both are due")
        const some = yield* read(a, { events: 3, bytes: 1 })
        assert.deepEqual(idsOf(some), ["e0", "e1", "e2"])
        assert.deepEqual(idsOf(yield* read(a, { events: 2, bytes: 1 }, some.events[0]?.position)), ["e1", "e2"])
        yield* pass(a, some.events[1]?.position ?? null)
        const log = yield* DeliveryLog
        assert.strictEqual((yield* log.waiting(tenant.account_id, first)).waiting, 1_005)
        assert.strictEqual((yield* log.waiting(tenant.account_id, second)).waiting, 1_008)
        // Another holder goes on behind what was accepted, over the end of what lies together.
        assert.deepEqual(idsOf(yield* read(a, { events: 1, bytes: 1 })), ["e2"])
        const rest = yield* read(a, { events: 2_000, bytes: 1 })
        assert.deepEqual(idsOf(rest), together.slice(2))
        yield* pass(a, rest.position)
        const seen: string[] = []
        for (let position: string | null = null; ;) {
          const batch: typeof rest = yield* read(b, { events: 400, bytes: 1 }, position)
          if (batch.position === null) break
          seen.push(...idsOf(batch))
          position = batch.position
          yield* pass(b, position)
        }
        assert.deepEqual(seen, all)
        assert.strictEqual(yield* waiting, before)
        yield* release(a)
        yield* release(b)
      }))

    test("a batch ends by the bytes of its events, whichever field has them", (tenant, now) =>
      Effect.gen(function* () {
        const own = yield* newDestination(tenant)
        const long = "x".repeat(300_000)
        const tags = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`tag-${at}`, "x".repeat(90)]))
        const eventOf = (id: string, fields: object = { trace: { long } }) =>
          eventAt(id, tenant.workspace_id, now, fields)
        const small = Array.from({ length: 90 }, (_, at) =>
          eventOf(`small-${at}`, { trace: { name: "x".repeat(900) } })
        )
        const first = ["a", "b", "c", "d"].map((id) => eventOf(id))
        const staged = ["e", "f", "g", "h"].map((id) => eventOf(id, { classifiers: { a: tags } }))
        const selected = (events: readonly ReturnType<typeof eventOf>[]) => ({
          account_id: tenant.account_id,
          events,
          selected: new Map(
            events.map((event) => [event, { destinations: [own], sealed_bodies: null, sealed_content: null }])
          )
        })
        yield* recordFor(tenant, small, [own])
        yield* recordFor(tenant, first, [own])
        yield* (yield* UsageLog).recordAll(Stream.make([selected(staged.slice(0, 2))], [selected(staged.slice(2))]))
        for (const id of ["i", "j", "k", "l"]) yield* settleFor(tenant, eventOf(id), [own])
        const batchesOf = Effect.fnUntraced(function* (turn: DeliveryLease, limits: typeof many) {
          const batches: (readonly string[])[] = []
          for (let position: string | null = null; ;) {
            const batch: { readonly position: string | null; readonly ids: readonly string[] } = yield* Effect.map(
              read(turn, limits, position),
              (one) => ({ position: one.position, ids: idsOf(one) })
            )
            if (batch.position === null) return batches
            if (batch.ids.length > 0) batches.push(batch.ids)
            position = batch.position
          }
        })
        const turn = yield* turnOf(own)
        const batches = yield* batchesOf(turn, many)
        const all = [...small.map(({ id }) => id), ..."abcdefghijkl"]
        assert.deepEqual(batches.flat(), all)
        assert.isAtLeast(batches[0]?.length ?? 0, small.length)
        for (const batch of batches) assert.isAtMost(batch.filter((id) => id.length === 1).length, 3)
        const dead = [..."abcd"].map((event_id) => ({ event_id, status: 400, message: "bad", sealed_bodies: null }))
        const last = yield* read(turn, { events: 1_000, bytes: 1_000_000_000 })
        assert.deepEqual(idsOf(last), all)
        yield* pass(turn, last.position, { accepted: 0, dead })
        yield* release(turn)
        const letters = [..."abcd"].map((event_id) => ({ event_id, sealed_bodies: null }))
        yield* (yield* DeadLetters).requeue(tenant.account_id, own, letters, new Date(now).toISOString())
        const again = yield* batchesOf(yield* turnOf(own), many)
        assert.deepEqual(again.flat(), [..."abcd"])
        assert.isAtMost(again[0]?.length ?? 0, 3)
      }))

    test("events with bodies, and for other destinations, keep their order among the others", (tenant, now) =>
      Effect.gen(function* () {
        const first = yield* newDestination(tenant)
        const second = yield* newDestination(tenant)
        const both = [first, second]
        const alone = [first]
        const sent = eventsOf(tenant, ["a", "b", "c", "d", "e", "f", "g"], now)
        const selected = new Map(
          sent.map((event) => {
            const sealed_bodies = event.id === "c" || event.id === "d" ? new Uint8Array([event.id.charCodeAt(0)]) : null
            return [
              event,
              { destinations: event.id < "f" ? both : alone, sealed_bodies, sealed_content: null }
            ] as const
          })
        )
        const { account_id } = tenant
        // The second is a duplicate: what it was sent with is delivered once, and the others stay in their order.
        yield* recordFor(tenant, eventsOf(tenant, ["b"], now), alone)
        yield* (yield* UsageLog).recordAll(
          Stream.fromIterable([
            [{ account_id, events: sent.slice(0, 4), selected }],
            [{ account_id, events: sent.slice(4), selected }]
          ])
        )
        const turns = yield* claimAll
        const [a, b] = both.map((id) => turns.find(({ destination_id }) => destination_id === id))
        if (a === undefined || b === undefined) return assert.fail("both are due")
        const seen = yield* read(a)
        assert.deepEqual(idsOf(seen), ["b", "a", "c", "d", "e", "f", "g"])
        assert.deepEqual(
          seen.events.map(({ sealed_bodies }) => sealed_bodies?.[0] ?? null),
          [null, null, 99, 100, null, null, null]
        )
        assert.deepEqual(idsOf(yield* read(b)), ["a", "c", "d", "e"])
        assert.deepEqual(idsOf(yield* read(a, { events: 3, bytes: 1_000 })), ["b", "a", "c"])
        const small = yield* read(a, { events: 100, bytes: 1 })
        assert.deepEqual(idsOf(small), ["b", "a", "c"])
        assert.deepEqual(idsOf(yield* read(a, { events: 100, bytes: 1 }, small.position)), ["d", "e", "f", "g"])
        yield* pass(a, seen.position)
        yield* pass(b, (yield* read(b)).position)
        yield* release(a)
        yield* release(b)
      }))
  })
}
