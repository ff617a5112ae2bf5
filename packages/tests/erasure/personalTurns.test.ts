/** Pages of personal data take turns, so that those of one account take no connections of others. Rule: access#personal-data. */
import { PersonalRows } from "@gatewarden/core/store"
import { layerInstance } from "@gatewarden/core/internal"
import { layerMemory } from "@gatewarden/core/effect"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { newTenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { callerOf } from "@gatewarden/testkit/delivery/deliverySuite"
import { exportPersonalData } from "../../core/src/erasure/operations.ts"

it("reads a person for one request of an account at a time", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* newTenant, yield* newTenant]
    const asked: string[] = []
    const waiting = PersonalRows.of({
      naming: (account_id) =>
        Effect.andThen(
          Effect.sync(() => asked.push(account_id)),
          Effect.never
        ),
      feedbackOn: () => Effect.succeed([])
    })
    const reading = (tenant: typeof one) =>
      exportPersonalData(callerOf(tenant), { user_id: "ann", limit: 10 }).pipe(
        Effect.provideService(PersonalRows, waiting),
        Effect.forkChild({ startImmediately: true })
      )
    const fibers = [yield* reading(one), yield* reading(one), yield* reading(other)]
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.sameMembers(asked, [one.account_id, other.account_id])
    yield* Fiber.interruptAll(fibers)
  }).pipe(Effect.provide(layerInstance(layerMemory, testKeyring)), Effect.scoped, Effect.runPromise))
