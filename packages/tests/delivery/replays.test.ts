/** Replays of dead letters go batch by batch, and end with their client. Rule: observability#replays. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { Caller } from "../../core/src/access/Caller.ts"
import { DeliverySignal } from "../../core/src/delivery/dispatch.ts"
import { replayDeadLetters } from "../../core/src/delivery/operations.ts"
import { DeadLetters } from "../../core/src/ports/deliveries.ts"
import { Destinations } from "../../core/src/ports/destinations.ts"
import { LoopTurns } from "../../core/src/value/inSlices.ts"
import { Vault } from "../../core/src/vault/Vault.ts"

const caller: Caller = {
  ...{ account_id: "a", key_hash: "", kind: "management", workspace_id: null, default_workspace_id: null },
  ...{ user_id: null, is_operator: false, restrictions: null }
}

const ids = Array.from({ length: 50 }, (_, index) => `e${index}`)

/** `atMost`: how many dead letters the store returns at once. `next`: what the replay waits for between batches. */
const replaying = (atMost: number, next: Effect.Effect<void>) => {
  const batches: (readonly string[])[] = []
  const destination = { id: "d", workspace_id: "w", privacy_mode: true }
  const unused = () => Effect.die(new Error("not called"))
  const layer = Layer.mergeAll(
    Layer.succeed(Destinations, {
      ...{ insert: unused, list: unused, update: unused, remove: unused },
      find: () => Effect.succeed(Option.some({ destination })),
      receiving: () => Effect.succeed([destination]),
      noteReplay: () => Effect.succeed(true)
    } as never),
    Layer.succeed(DeadLetters, {
      list: () => Effect.succeed({ data: [], total_count: 0 }),
      diedUntil: () => Effect.succeed(ids),
      find: (_: string, __: string, asked: readonly string[], bytes: number) => {
        assert.isAtMost(bytes, 2_097_152)
        const found = asked.filter((id) => id !== "e3").slice(0, atMost)
        return Effect.succeed(found.map((event_id) => ({ event_id, sealed_bodies: null })))
      },
      requeue: (_: string, __: string, letters: readonly { readonly event_id: string }[]) =>
        Effect.sync(() => {
          batches.push(letters.map(({ event_id }) => event_id))
          return letters.length
        })
    } as never),
    Layer.succeed(Vault, {} as never),
    Layer.succeed(DeliverySignal, { wake: () => {}, awaited: Effect.void }),
    Layer.succeed(LoopTurns, { next: () => next, isAwaited: () => false })
  )
  const replay = replayDeadLetters(caller, "d", { until: "2100-01-01T00:00:00Z" }).pipe(Effect.provide(layer))
  return { batches, replay }
}

describe("a replay of dead letters", () => {
  it.effect("continues after the last letter that a batch had room for, and gives way between batches", () =>
    Effect.gen(function* () {
      let pauses = 0
      const { batches, replay } = replaying(
        3,
        Effect.sync(() => void pauses++)
      )
      assert.strictEqual((yield* replay).replayed, 49)
      assert.deepEqual(
        batches.flat(),
        ids.filter((id) => id !== "e3")
      )
      assert.isTrue(batches.every((batch) => batch.length <= 3))
      assert.strictEqual(pauses, batches.length - 1)
    })
  )

  it.effect("ends at the next batch after its client has disconnected", () =>
    Effect.gen(function* () {
      const { batches, replay } = replaying(20, Effect.never)
      // As the handler runs what changes something.
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(replay), { startImmediately: true })
      assert.lengthOf(batches, 1)
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(batches, 1)
    })
  )
})
