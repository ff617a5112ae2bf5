import { Clock, Context, Duration, Effect } from "effect"

/** How an operator finds this process. A platform that knows neither leaves the host empty and the process id `null`. */
export const ProcessName = Context.Reference<{ readonly host: string; readonly pid: number | null }>(
  "gatewarden/ProcessName",
  { defaultValue: () => ({ host: "", pid: null }) }
)

const longestTimerMillis = 2_147_483_647

/** A timer that keeps no process alive. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), Math.min(millis, longestTimerMillis))
    // Where nothing has this method, a timer is a number.
    ;(timer as { readonly unref?: () => void }).unref?.()
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Waits without keeping the process alive: a script that makes an instance and does not close it ends all the same. What is in flight, such
 * as a request to a platform, holds it by its socket.
 */
export const withIdleTimers = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(
      effect,
      Clock.Clock,
      Object.create(clock, {
        sleep: { value: (duration: Duration.Duration) => pause(Duration.toMillis(duration)) }
      }) as Clock.Clock
    )
  )
