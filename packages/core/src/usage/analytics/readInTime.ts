import { Effect } from "effect"
import { TimedOut } from "../../value/failure.ts"
import { type AnalyticsPlan, AnalyticsReader } from "../../ports/analytics.ts"
import { AnalyticsSlots } from "./AnalyticsSlots.ts"
import { AnalyticsTimeout } from "./AnalyticsTimeout.ts"

/** Rule: analytics#timeouts. What takes too long, with what it waits for others of its account, is cancelled, also in the database where possible. */
export const inTime = Effect.fnUntraced(function* <A, E, R>(account_id: string, query: Effect.Effect<A, E, R>) {
  const { within } = yield* AnalyticsSlots
  return yield* within(account_id)(query).pipe(
    Effect.timeoutOrElse({
      duration: yield* AnalyticsTimeout,
      orElse: () => Effect.fail(new TimedOut({ reason: "analytics_timeout" }))
    })
  )
})

/** Rule: analytics#timeouts. */
export const readInTime = (account_id: string, plan: AnalyticsPlan) =>
  inTime(
    account_id,
    Effect.flatMap(AnalyticsReader, (reader) => reader.read(account_id, plan))
  )
