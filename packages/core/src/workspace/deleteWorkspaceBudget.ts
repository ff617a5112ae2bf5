import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { requireInterval } from "./requireInterval.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceBudgets } from "../ports/workspaces.ts"

/** Idempotent. Rule: workspaces#workspace-budgets. */
export const deleteWorkspaceBudget = operation("deleteWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string
) {
  const interval = yield* requireInterval(word)
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  yield* (yield* WorkspaceBudgets).remove(caller.account_id, id, interval)
  return { deleted: true as const }
})
