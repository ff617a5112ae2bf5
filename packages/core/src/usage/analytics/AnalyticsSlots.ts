/**
 * An account's analytics queries run one after another in this process. A store has few connections for them, and few accounts whose queries
 * take long would have all of them. Few of them wait, so that they do not take the connections of the server.
 *
 * Rule: analytics#timeouts.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { RateLimited } from "../../failure.ts"

/** Queries of one account that wait, or run. */
export const waitingOfAccount = 100

const retryAfterSeconds = 5

const tooMany = {
  path: "",
  code: "too_many_queries",
  message: `Expected at most ${waitingOfAccount} analytics queries of one account at once`
}

export interface AnalyticsSlotTable {
  /** Runs a query when those of the account that came before have ended. 429 if too many of them wait. */
  readonly within: (
    account_id: string
  ) => <A, E, R>(query: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
}

const makeAnalyticsSlots = (): AnalyticsSlotTable => {
  const accounts = new Map<string, { queries: number; readonly slots: Semaphore.Semaphore }>()
  const enter = (account_id: string) =>
    Effect.suspend(() => {
      const account = accounts.get(account_id) ?? { queries: 0, slots: Semaphore.makeUnsafe(1) }
      if (account.queries >= waitingOfAccount)
        return Effect.fail(new RateLimited({ reason: "rate_limited", issues: [tooMany], retryAfterSeconds }))
      accounts.set(account_id, account)
      account.queries++
      return Effect.succeed(account)
    })
  return {
    within: (account_id) => (query) =>
      Effect.acquireUseRelease(
        enter(account_id),
        ({ slots }) => slots.withPermits(1)(query),
        (account) =>
          Effect.sync(() => {
            if (--account.queries === 0) accounts.delete(account_id)
          })
      )
  }
}

export class AnalyticsSlots extends Context.Service<AnalyticsSlots, AnalyticsSlotTable>()(
  "gatewarden/AnalyticsSlots"
) {}

export const layerAnalyticsSlots = Layer.sync(AnalyticsSlots, makeAnalyticsSlots)
