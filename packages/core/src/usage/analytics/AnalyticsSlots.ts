/**
 * An account's analytics queries, and its exports' reads, run one after another in this process. A store has few connections for them, and few
 * accounts whose queries take long would have all of them. Few of them wait, so that they do not take the connections of the server.
 *
 * Rule: analytics#timeouts.
 */
import { Context, Layer } from "effect"
import { RateLimited } from "../../value/failure.ts"
import { makeTurns, type Turns } from "../../value/Turns.ts"

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
