import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  explainedOfAccount,
  layerVerificationSlots,
  VerificationSlots,
  waitingOfAccount,
  waitingOfPolicy
} from "../../core/src/federation/VerificationSlots.ts"

const endless = (policy_id: string) =>
  Effect.flatMap(VerificationSlots, ({ waiting, verifying }) =>
    waiting("one", policy_id)(verifying("one", policy_id)(Effect.never))
  )

const one = (policy_id: string, account_id = "one") =>
  Effect.flatMap(VerificationSlots, ({ waiting, verifying }) =>
    waiting(account_id, policy_id)(verifying(account_id, policy_id)(Effect.succeed("verified")))
  ).pipe(Effect.catchTag("RateLimited", ({ retryAfterSeconds }) => Effect.succeed(retryAfterSeconds)))

describe("VerificationSlots", () => {
  it.effect("refuses a policy that has too many waiting, and serves others", () =>
    Effect.gen(function* () {
      const flood = yield* Effect.forEach(Array.from({ length: waitingOfPolicy }), () =>
        Effect.forkChild(endless("flooded"), { startImmediately: true })
      )
      assert.strictEqual(yield* one("flooded"), 1)
      assert.strictEqual(yield* one("other", "another"), "verified")
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

  it.effect("verifies one of an account at once, and few of all, as policies and accounts take turns", () =>
    Effect.gen(function* () {
      const { waiting, verifying } = yield* VerificationSlots
      const running: string[] = []
      const run = (account_id: string, policy_id: string) =>
        Effect.forkChild(
          waiting(
            account_id,
            policy_id
          )(
            verifying(
              account_id,
              policy_id
            )(
              Effect.andThen(
                Effect.sync(() => running.push(policy_id)),
                Effect.never
              )
            )
          ),
          { startImmediately: true }
        )
      const first = yield* run("1", "1a")
      for (let more = 0; more < 3; more++) yield* run("1", "1a")
      const next = yield* run("1", "1b")
      assert.deepEqual(running, ["1a"])
      for (const account_id of ["2", "3", "4", "5", "6", "7", "8", "9"])
        for (let more = 0; more < 2; more++) yield* run(account_id, `${account_id}a`)
      assert.deepEqual(running, ["1a", "2a", "3a", "4a", "5a", "6a", "7a", "8a"])
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      // The other policy of the account, although three of the first came before it.
      assert.deepEqual(running.slice(8), ["1b"])
      yield* Fiber.interrupt(next)
      yield* Effect.yieldNow
      // "9" waits for a slot of the process, and has waited longer than the first account.
      assert.deepEqual(running.slice(9), ["9a"])
    }).pipe(Effect.provide(layerVerificationSlots))
  )

  it.effect("explains to few, and to others as time goes on", () =>
    Effect.gen(function* () {
      const { explaining } = yield* VerificationSlots
      const explain = (policy_id: string, now: number) => explaining("one", policy_id, now)(Effect.succeed("explained"))
      for (let explained = 0; explained < 20; explained++) assert.strictEqual(yield* explain("a", 0), "explained")
      assert.isUndefined(yield* explain("a", 0))
      assert.strictEqual(yield* explain("b", 0), "explained")
      assert.strictEqual(yield* explain("a", 1_000), "explained")
      assert.isUndefined(yield* explain("a", 1_000))
    }).pipe(Effect.provide(layerVerificationSlots))
  )

  it.effect("explains few of an account at once, and keeps room for its other tokens and other accounts", () =>
    Effect.gen(function* () {
      const { explaining, waiting } = yield* VerificationSlots
      const explain = (account_id: string, policy_id: string) => explaining(account_id, policy_id, 0)
      // Their issuers do not answer.
      for (let index = 0; index < explainedOfAccount; index++)
        yield* Effect.forkChild(explain("one", `slow ${index % 5}`)(Effect.never), { startImmediately: true })
      assert.isUndefined(yield* explain("one", "another")(Effect.succeed("explained")))
      assert.strictEqual(yield* explain("two", "other")(Effect.succeed("explained")), "explained")
      for (let index = 0; index < waitingOfAccount - 1; index++)
        yield* Effect.forkChild(waiting("one", `slow ${index % 5}`)(Effect.never), { startImmediately: true })
      assert.strictEqual(yield* one("another"), "verified")
    }).pipe(Effect.provide(layerVerificationSlots))
  )
})
