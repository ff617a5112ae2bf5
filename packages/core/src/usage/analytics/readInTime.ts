import { Effect } from "effect"
import { TimedOut } from "../../failure.ts"
import type { AnalyticsPlan } from "./AnalyticsPlan.ts"
import { AnalyticsReader } from "./AnalyticsReader.ts"
import { AnalyticsSlots } from "./AnalyticsSlots.ts"
import { AnalyticsTimeout } from "./AnalyticsTimeout.ts"

/** Rule: analytics#timeouts. A query that takes too long, with what it waits for others of its account, is cancelled, also in the database where possible. */
export const readInTime = Effect.fnUntraced(function* (account_id: string, plan: AnalyticsPlan) {
  const reader = yield* AnalyticsReader
  const { within } = yield* AnalyticsSlots
  return yield* within(account_id)(reader.read(account_id, plan)).pipe(
    Effect.timeoutOrElse({
      duration: yield* AnalyticsTimeout,
      orElse: () => Effect.fail(new TimedOut({ reason: "analytics_timeout" }))
    })
  )
})
