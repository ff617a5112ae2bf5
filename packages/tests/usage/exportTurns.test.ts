/** The reads of an account's exports run one after another, with its analytics queries. Rule: usage#export. */
import { exportPersonalData as personal, exportUsageEvents as usage } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { Caller } from "../../core/src/access/Caller.ts"
import { exportPersonalData } from "../../core/src/erasure/operations.ts"
import { PersonalRows } from "../../core/src/ports/erasures.ts"
import { AnalyticsSlots, layerAnalyticsSlots, waitingOfAccount } from "../../core/src/usage/analytics/AnalyticsSlots.ts"
import { exportUsageEvents } from "../../core/src/usage/export/exportUsageEvents.ts"
import { UsageHistory } from "../../core/src/ports/usage.ts"

const callerOf = (account_id: string): Caller => ({
  ...{ account_id, key_hash: "", kind: "management", workspace_id: null, default_workspace_id: null },
  ...{ user_id: null, is_operator: false, restrictions: null }
})

/** Reads that never end, by account. */
const history = () => {
  const reads: string[] = []
  const read = (account_id: string) =>
    Effect.andThen(
      Effect.sync(() => reads.push(account_id)),
      Effect.never
    )
  const layer = Layer.mergeAll(
    Layer.succeed(UsageHistory, UsageHistory.of({ after: read, pageAfter: read, eventsBetween: read })),
    Layer.succeed(
      PersonalRows,
      PersonalRows.of({
        naming: () => Effect.succeed([]),
        feedbackOn: () => Effect.succeed([])
      })
    ),
    layerAnalyticsSlots
  )
  return { reads, layer }
}

const exports = {
  "usage events": (account_id: string) =>
    exportUsageEvents(callerOf(account_id), usage.query.parse({}) as never, undefined),
  "a person's data": (account_id: string) =>
    exportPersonalData(
      callerOf(account_id),
      personal.query.parse({ user_id: "user-1", cursor: "usage_event" }) as never
    )
}

describe.each(Object.entries(exports))("an export of %s", (_, start) => {
  it.effect("waits for the one before, and is 429 if too many of the account wait", () => {
    const { reads, layer } = history()
    return Effect.gen(function* () {
      const fork = (account_id: string) => Effect.forkChild(start(account_id), { startImmediately: true })
      const waiting = []
      for (let index = 0; index < waitingOfAccount; index++) waiting.push(yield* fork("a"))
      assert.deepEqual(reads, ["a"])
      assert.deepInclude(yield* Effect.flip(start("a")), { status: 429, reason: "rate_limited" })
      yield* fork("b")
      assert.deepEqual(reads, ["a", "b"])
      // Queries take part.
      const { within } = yield* AnalyticsSlots
      assert.strictEqual((yield* Effect.flip(within("a")(Effect.void))).status, 429)
      yield* Fiber.interrupt(waiting[0] as Fiber.Fiber<unknown, unknown>)
      yield* Effect.yieldNow
      assert.deepEqual(reads, ["a", "b", "a"])
    }).pipe(Effect.provide(layer))
  })
})
