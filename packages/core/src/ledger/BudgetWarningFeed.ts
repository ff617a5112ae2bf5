/**
 * Delivers the warnings that this process recorded to its listeners, after they are recorded. Read the warnings of other processes from
 * the ledger.
 */
import { Context, Layer } from "effect"
import type { BudgetWarning } from "../ports/ledger.ts"

export type BudgetWarningListener = (account_id: string, warning: BudgetWarning) => void

export interface BudgetWarningListeners {
  readonly publish: (account_id: string, warnings: readonly BudgetWarning[]) => void
  /** Answers a function that unsubscribes. An error of a listener does not reach other listeners. */
  readonly subscribe: (listener: BudgetWarningListener) => () => void
}

export const makeBudgetWarningFeed = (): BudgetWarningListeners => {
  const listeners = new Set<BudgetWarningListener>()
  return {
    publish: (account_id, warnings) => {
      for (const warning of warnings)
        for (const listener of listeners)
          try {
            listener(account_id, warning)
          } catch {
            // The money is held or charged already, so an error of a listener must not fail the request.
          }
    },
    subscribe: (listener) => {
      const own: BudgetWarningListener = (account_id, warning) => listener(account_id, warning)
      listeners.add(own)
      return () => void listeners.delete(own)
    }
  }
}

/** Of a store that nobody listens to. */
const unheard: BudgetWarningListeners = { publish: () => {}, subscribe: () => () => {} }

export const BudgetWarningFeed = Context.Reference<BudgetWarningListeners>("gatewarden/BudgetWarningFeed", {
  defaultValue: () => unheard
})

export const layerBudgetWarningFeed = Layer.sync(BudgetWarningFeed, makeBudgetWarningFeed)
