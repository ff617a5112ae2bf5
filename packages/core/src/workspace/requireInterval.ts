import { BudgetInterval } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../value/failure.ts"

/** Fails with 400 if the path names an unknown interval. Rule: workspaces#workspace-budgets. */
export const requireInterval = Effect.fnUntraced(function* (word: string) {
  const interval = BudgetInterval.safeParse(word)
  if (interval.success) return interval.data
  return yield* invalid("unknown_interval", "path.interval", `Expected ${BudgetInterval.options.join(", ")}`)
})
