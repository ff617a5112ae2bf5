import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  layerVerificationSlots,
  VerificationSlots,
  waitingOfAccount,
  waitingOfPolicy
} from "../../core/src/federation/VerificationSlots.ts"

const endless = (policy_id: string) =>
  Effect.flatMap(VerificationSlots, ({ waiting, verifying }) =>
    waiting("one", policy_id)(verifying(policy_id)(Effect.never))
  )

const one = (policy_id: string, account_id = "one") =>
  Effect.flatMap(VerificationSlots, ({ waiting, verifying }) =>
    waiting(account_id, policy_id)(verifying(policy_id)(Effect.succeed("verified")))
  ).pipe(Effect.catchTag("RateLimited", ({ retryAfterSeconds }) => Effect.succeed(retryAfterSeconds)))

describe("VerificationSlots", () => {
  it.effect("refuses a policy that has too many waiting, and serves others", () =>
    Effect.gen(function* () {
      const flood = yield* Effect.forEach(Array.from({ length: waitingOfPolicy }), () =>
        Effect.forkChild(endless("flooded"), { startImmediately: true })
      )
      assert.strictEqual(yield* one("flooded"), 1)
      assert.strictEqual(yield* one("other"), "verified")
      yield* Effect.forEach(flood, Fiber.interrupt)
      assert.strictEqual(yield* one("flooded"), "verified")
    }).pipe(Effect.provide(layerVerificationSlots))
  )

  it.effect("refuses an account that has too many waiting, however many policies it has, and serves others", () =>
    Effect.gen(function* () {
      const { waiting } = yield* VerificationSlots
      // Their issuers do not answer, so no signature is verified.
      for (let index = 0; index < waitingOfAccount; index++)
        yield* Effect.forkChild(waiting("flooding", `slow ${index % 20}`)(Effect.never), { startImmediately: true })
      assert.strictEqual(yield* one("another", "flooding"), 1)
      assert.strictEqual(yield* one("other", "healthy"), "verified")
    }).pipe(Effect.provide(layerVerificationSlots))
  )

  it.effect("verifies few at once, of a policy and of all, in the order of arrival", () =>
    Effect.gen(function* () {
      const { waiting, verifying } = yield* VerificationSlots
      const running: string[] = []
      const run = (policy_id: string) =>
        Effect.forkChild(
          waiting(
            "one",
            policy_id
          )(
            verifying(policy_id)(
              Effect.andThen(
                Effect.sync(() => running.push(policy_id)),
                Effect.never
              )
            )
          ),
          { startImmediately: true }
        )
      const first = yield* run("a")
      for (let more = 0; more < 3; more++) yield* run("a")
      assert.deepEqual(running, ["a", "a"])
      for (const policy_id of ["b", "c", "d", "e"]) for (let more = 0; more < 2; more++) yield* run(policy_id)
      assert.deepEqual(running, ["a", "a", "b", "b", "c", "c", "d", "d"])
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      // "e" waits for a slot of the process longer than the third of "a".
      assert.deepEqual(running.slice(8), ["e"])
    }).pipe(Effect.provide(layerVerificationSlots))
  )

  it.effect("explains to few, and to others as time goes on", () =>
    Effect.gen(function* () {
      const { mayExplain } = yield* VerificationSlots
      let explained = 0
      while (mayExplain("a", 0)) explained++
      assert.strictEqual(explained, 20)
      assert.isTrue(mayExplain("b", 0))
      assert.isTrue(mayExplain("a", 1_000))
      assert.isFalse(mayExplain("a", 1_000))
    }).pipe(Effect.provide(layerVerificationSlots))
  )
})
