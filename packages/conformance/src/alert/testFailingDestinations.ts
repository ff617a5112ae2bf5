/** Destinations that fail, and their dead letters. */
import { DeadLetters, DeliveryQueue, Destinations, Retention } from "@gatewarden/core/store"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readableStream } from "../delivery/readableStream.ts"
import { eventAt, newDestination, recordFor } from "../delivery/waitingEvents.ts"
import { alerts, type AlertsUnderTest, day, iso, listed, newChannel, takeEvent } from "./alertsUnderTest.ts"

export const testFailingDestinations = ({ clock, test }: AlertsUnderTest): void => {
  test("a destination alerts once after an hour of failures, and again when it fails anew", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant)
      const destination = yield* newDestination(tenant, { name: "Traces" })
      const queue = yield* DeliveryQueue
      let events = 0
      const fail = Effect.gen(function* () {
        yield* recordFor(tenant, [eventAt(`e-${++events}`, tenant.workspace_id, clock.now)], [destination])
        yield* readableStream
        const turns = yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 10)
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
      const turn = (yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 10)).find(
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

  test("a destination whose platform has refused everything for five minutes is told of once", (tenant, now) =>
    Effect.gen(function* () {
      yield* newChannel(tenant)
      const destination = yield* newDestination(tenant)
      const { queue, turn, position } = yield* takeEvent(tenant, destination, "r-1", now)
      const dead = ["r-1", "r-2", "r-3"].map((event_id) => ({
        ...{ event_id, status: 400, message: "refused", sealed_bodies: null }
      }))
      const answer = { status: 400, message: "refused" }
      yield* queue.acknowledge(turn, { position, accepted: 0, dead, answer, attempt: undefined }, 10)
      yield* queue.release(turn, { kind: "released" })
      const failing = Effect.map(listed(tenant), (all) => all.filter(({ type }) => type === "destination.failing"))
      clock.now = now + 299_000
      yield* alerts((port) => port.detect(100))
      assert.lengthOf(yield* failing, 0)
      clock.now = now + 300_000
      yield* alerts((port) => port.detect(100))
      clock.now = now + 900_000
      yield* alerts((port) => port.detect(100))
      const [alert, ...others] = yield* failing
      assert.isEmpty(others)
      assert.deepInclude(alert?.data, { failing_since: iso(now), last_status: 400 })
      // A new channel is told of what still holds: the day of the dead letters lasts, whether they are still there or not.
      const { account_id } = tenant
      const toldOf = Effect.gen(function* () {
        const channel = yield* newChannel(tenant)
        const all = yield* listed(tenant)
        return all.flatMap(({ type, deliveries }) =>
          deliveries.some(({ channel_id }) => channel_id === channel) ? [type] : []
        )
      })
      assert.sameMembers([...(yield* toldOf)], ["destination.failing", "destination.dead_letters"])
      const letters = ["r-1", "r-2", "r-3"].map((event_id) => ({ event_id, sealed_bodies: null }))
      yield* (yield* DeadLetters).requeue(account_id, destination, letters, iso(clock.now))
      assert.sameMembers([...(yield* toldOf)], ["destination.failing", "destination.dead_letters"])
      const off = { enabled: false }
      yield* (yield* Destinations).update(account_id, destination, off, undefined, iso(clock.now))
      assert.sameMembers([...(yield* toldOf)], ["destination.dead_letters"])
      clock.now = now + 2 * day
      assert.isEmpty(yield* toldOf)
    }))
}
