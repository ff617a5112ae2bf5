import type { PutWorkspaceBudget } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { printedWorkspaceBudget } from "./printedWorkspaceBudget.ts"
import { requireInterval } from "./requireInterval.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceBudgets } from "../ports/workspaces.ts"

/** Rule: workspaces#workspace-budgets. */
export const putWorkspaceBudget = operation("putWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string,
  { limit_usd, include_byok_in_budgets }: PutWorkspaceBudget
) {
  const interval = yield* requireInterval(word)
  const { id: workspace_id } = yield* requireWorkspace(caller, idOrSlug)
  const draft = {
    id: (yield* Entropy).uuid(),
    workspace_id,
    interval,
    limit_usd,
    include_byok: include_byok_in_budgets ?? undefined
  }
  const outcome = yield* (yield* WorkspaceBudgets).put(caller.account_id, draft, yield* timestamp)
  if (outcome === "out_of_order")
    return yield* invalid("budget_order", "limit_usd", "A longer interval must have a larger budget than a shorter one")
  return (outcome === "missing" ? undefined : printedWorkspaceBudget(outcome, interval)) ?? (yield* notFound())
})
