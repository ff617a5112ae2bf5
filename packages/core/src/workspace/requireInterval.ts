import { BudgetInterval } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../failure.ts"

/** Fails with 400 for a word of the path that is no interval. Rule: workspaces#workspace-budgets. */
export const requireInterval = Effect.fnUntraced(function* (word: string) {
  const interval = BudgetInterval.safeParse(word)
  if (interval.success) return interval.data
  return yield* invalid("unknown_interval", "path.interval", "Expected daily, weekly, monthly or lifetime")
})
