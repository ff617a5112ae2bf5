/**
 * An account's analytics queries run one after another in this process. A store has few connections for them, and few accounts whose queries
 * take long would have all of them.
 *
 * Rule: analytics#timeouts.
 */
import { Context, Effect, Layer, Semaphore } from "effect"

export interface AnalyticsSlotTable {
  /** Runs a query when those of the account that came before have ended. */
  readonly within: (account_id: string) => <A, E, R>(query: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const makeAnalyticsSlots = (): AnalyticsSlotTable => {
  const accounts = new Map<string, { queries: number; readonly slots: Semaphore.Semaphore }>()
  const enter = (account_id: string) =>
    Effect.sync(() => {
      const account = accounts.get(account_id) ?? { queries: 0, slots: Semaphore.makeUnsafe(1) }
      accounts.set(account_id, account)
      account.queries++
      return account
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
