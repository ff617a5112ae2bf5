/**
 * An account's analytics queries, and its exports' reads, run one after another in this process. A store has few connections for them, and few
 * accounts whose queries take long would have all of them. Few of them wait, so that they do not take the connections of the server.
 *
 * Rule: analytics#timeouts.
 */
import { Context, Effect, Layer } from "effect"
import { type AnalyticsPlan, AnalyticsReader } from "../../ports/analytics.ts"
import { type Turns, makeTurns } from "../../value/Turns.ts"
import { RateLimited, TimedOut } from "../../value/failure.ts"

/** Queries of one account that wait, or run. */
export const waitingOfAccount = 100

const tooMany = {
  path: "",
  code: "too_many_queries",
  message: `Expected at most ${waitingOfAccount} analytics queries of one account at once`
}

/** 429 if too many queries of the account wait. */
export class AnalyticsSlots extends Context.Service<AnalyticsSlots, Turns<RateLimited>>()(
  "gatewarden/AnalyticsSlots"
) {}

export const layerAnalyticsSlots = Layer.sync(AnalyticsSlots, () =>
  makeTurns({
    ofAccount: 1,
    waiting: waitingOfAccount,
    refusal: () => new RateLimited({ reason: "rate_limited", issues: [tooMany], retryAfterSeconds: 5 })
  })
)

/** How long an analytics query may take, in milliseconds; past it the answer is 408 (Rule: analytics#timeouts). */
export const AnalyticsTimeout = Context.Reference<number>("gatewarden/AnalyticsTimeout", { defaultValue: () => 30_000 })

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
