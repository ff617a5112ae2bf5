import type { PgConnection } from "@effect/sql-pg"
import { Effect, Fiber } from "effect"
import type { SqlError } from "effect/sql/SqlError"

const interval = "250 millis"

/**
 * A statement that ends in the database when its caller gives it up.
 *
 * PostgreSQL ignores a request to cancel that arrives between two messages of a statement, and the driver asks once. A long read has no
 * `statement_timeout`, so it would run on for nobody. It is asked to end until it has, or until the driver drops the connection.
 */
export const askUntilEnded = <A>(
  session: PgConnection.PgConnection,
  statement: Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(Effect.interruptible(statement))
      let asked = false
      const askAgain = Effect.sleep(interval).pipe(
        Effect.andThen(Effect.sync(() => void (asked = true))),
        Effect.andThen(session.interrupt),
        Effect.forever
      )
      const end = Effect.raceFirst(Fiber.interrupt(running), Effect.interruptible(askAgain)).pipe(
        // A request that is still on its way must not end what the session does next: one that is asked while idle is not used again.
        Effect.andThen(Effect.suspend(() => (asked ? session.interrupt : Effect.void)))
      )
      return yield* Effect.onInterrupt(restore(Fiber.join(running)), () => end)
    })
  )
