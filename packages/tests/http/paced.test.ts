import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { paced } from "../../core/src/http/AppRequest.ts"

const pace = { firstByteMillis: 400, graceMillis: 1000, minBytesPerSecond: 100 }

/** A body that arrives as the test says. */
const arriving = Effect.gen(function* () {
  const chunks = yield* Queue.unbounded<Uint8Array>()
  const send = (size: number, first = 1) => {
    const chunk = new Uint8Array(size)
    chunk[0] = first
    return Queue.offer(chunks, chunk)
  }
  return { body: Stream.fromQueue(chunks), send }
})

const reading = (body: Stream.Stream<Uint8Array, { readonly status: number }>) =>
  Effect.forkChild(Effect.flip(Stream.runDrain(body)))

const isOver = (fiber: Fiber.Fiber<unknown, unknown>): boolean => fiber.pollUnsafe() !== undefined

describe("a body that has to keep a pace", () => {
  it.effect("is 408 when its first byte does not come in time", () =>
    Effect.gen(function* () {
      const { body } = yield* arriving
      const read = yield* reading(paced(pace)(body))
      yield* TestClock.adjust(399)
      assert.isFalse(isOver(read))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(read)).status, 408)
    })
  )

  it.effect("is 408 when nothing more comes within the grace", () =>
    Effect.gen(function* () {
      const { body, send } = yield* arriving
      const read = yield* reading(paced(pace)(body))
      yield* send(1)
      yield* TestClock.adjust(1009)
      assert.isFalse(isOver(read))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(read)).status, 408)
    })
  )

  it.effect("has as much longer as it has sent, and a trickle does not outlive that", () =>
    Effect.gen(function* () {
      const { body, send } = yield* arriving
      const read = yield* reading(paced(pace)(body))
      // One byte every 900 ms buys 10 ms each.
      yield* send(1)
      yield* TestClock.adjust(900)
      assert.isFalse(isOver(read))
      yield* send(1)
      yield* TestClock.adjust(119)
      assert.isFalse(isOver(read))
      yield* TestClock.adjust(1)
      assert.isTrue(isOver(read))
    })
  )

  it.effect("may go on for ever at its pace", () =>
    Effect.gen(function* () {
      const { body, send } = yield* arriving
      const read = yield* reading(paced(pace)(body))
      for (let second = 0; second < 100; second++) {
        yield* send(100)
        yield* TestClock.adjust(1000)
        assert.isFalse(isOver(read))
      }
      yield* TestClock.adjust(1001)
      assert.isTrue(isOver(read))
    })
  )

  it.effect("loses nothing while others are busy with it", () =>
    Effect.gen(function* () {
      const { body, send } = yield* arriving
      const busy = Stream.mapEffect(paced(pace)(body), (chunk) => Effect.as(Effect.sleep(60_000), chunk))
      const read = yield* reading(busy)
      for (let turn = 0; turn < 5; turn++) {
        yield* send(1)
        yield* TestClock.adjust(60_000)
      }
      assert.isFalse(isOver(read))
    })
  )

  it.effect("begins anew with what is new in it", () =>
    Effect.gen(function* () {
      const { body, send } = yield* arriving
      const read = yield* reading(paced(pace, (chunk) => chunk[0] === 10)(body))
      yield* send(1, 10)
      for (let line = 0; line < 20; line++) {
        yield* TestClock.adjust(999)
        yield* send(1, 10)
        yield* TestClock.adjust(0)
        assert.isFalse(isOver(read))
      }
      yield* TestClock.adjust(999)
      yield* send(1)
      yield* TestClock.adjust(11)
      assert.isTrue(isOver(read))
    })
  )

  it.effect("is given up where nothing else may be interrupted", () =>
    Effect.gen(function* () {
      const { body } = yield* arriving
      const read = yield* Effect.forkChild(Effect.uninterruptible(Effect.flip(Stream.runDrain(paced(pace)(body)))))
      yield* TestClock.adjust(1000)
      assert.strictEqual((yield* Fiber.join(read)).status, 408)
    })
  )
})
