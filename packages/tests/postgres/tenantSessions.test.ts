/**
 * What a session is set to, and what is thought of it, wherever the fiber that sets it is interrupted. The session is played, because no
 * timing hits the moment at a real server.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TenantScope, tenantSessions } from "../../postgres/src/connection/tenantSessions.ts"

/** Where the statement that sets the session is when the fiber is interrupted. */
const moments = ["not sent", "not run", "run, not answered", "failed"] as const
type Moment = (typeof moments)[number]

const accounts = ["one", "other", undefined] as const

/** A session of a server whose statements wait, until `answers` is true. */
class PlayedSession {
  /** As it was opened, for all accounts. */
  account = ""
  sent = 0
  answers = true
  /** What happens to a statement that is not answered. */
  moment: Moment = "not run"

  readonly query = (_: string, parameters: readonly unknown[]) =>
    Effect.callback<readonly object[], Error>((resume) => {
      this.sent++
      if (this.answers || this.moment === "run, not answered") this.account = String(parameters[1])
      if (this.answers) resume(Effect.succeed([]))
      else if (this.moment === "failed") resume(Effect.fail(new Error("The connection is gone")))
    })
}

const sessionsOf = (played: PlayedSession) => {
  const session = played as unknown as PgConnection.PgConnection
  const pool = {
    get: Effect.succeed(session),
    use: <A, E, R>(work: (session: PgConnection.PgConnection) => Effect.Effect<A, E, R>) => work(session)
  }
  return tenantSessions(pool as unknown as PgPool.PgPool)
}

describe("a session that a fiber did not finish to set", () => {
  for (const way of ["use", "get"] as const)
    for (const moment of moments)
      for (const before of accounts)
        for (const broken of ["one", "other"] as const)
          for (const next of accounts)
            it.effect(`${way}, ${moment}: after ${before ?? "all"}, set to ${broken}, then ${next ?? "all"}`, () =>
              Effect.gen(function* () {
                const played = new PlayedSession()
                const sessions = sessionsOf(played)
                /** The account whose rows the work sees. */
                const seen = Effect.sync(() => played.account)
                const as = (account: string | undefined) =>
                  Effect.provideService(
                    way === "use" ? sessions.use(() => seen) : Effect.scoped(Effect.andThen(sessions.get, seen)),
                    TenantScope,
                    account
                  )
                assert.strictEqual(yield* as(before), before ?? "")
                Object.assign(played, { answers: false, moment })
                const fiber = yield* Effect.forkChild(as(broken))
                if (moment !== "not sent") yield* Effect.yieldNow
                yield* Fiber.interrupt(fiber)
                const exit = yield* Fiber.await(fiber)
                assert.isTrue(Exit.isFailure(exit) || exit.value === broken)
                played.answers = true
                assert.strictEqual(yield* as(next), next ?? "")
                const sent = played.sent
                assert.strictEqual(yield* as(next), next ?? "")
                assert.strictEqual(played.sent, sent, "It is set again though it is known")
              })
            )
})
