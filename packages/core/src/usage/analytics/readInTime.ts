import { Effect } from "effect"
import { TimedOut } from "../../failure.ts"
import type { AnalyticsPlan } from "./AnalyticsPlan.ts"
import { AnalyticsReader } from "./AnalyticsReader.ts"
import { AnalyticsTimeout } from "./AnalyticsTimeout.ts"

/** Rule: analytics#timeouts. A query that runs too long is cancelled, also in the database where possible. */
export const readInTime = Effect.fnUntraced(function* (account_id: string, plan: AnalyticsPlan) {
  const reader = yield* AnalyticsReader
  return yield* reader.read(account_id, plan).pipe(
    Effect.timeoutOrElse({
      duration: yield* AnalyticsTimeout,
      orElse: () => Effect.fail(new TimedOut({ reason: "analytics_timeout" }))
    })
  )
})
