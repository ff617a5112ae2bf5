import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceBudgets } from "../ports/workspaces.ts"

/** Rule: workspaces#workspace-budgets. */
export const listWorkspaceBudgets = operation("listWorkspaceBudgets")(function* (caller: Caller, idOrSlug: string) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const { budgets, include_byok } = yield* (yield* WorkspaceBudgets).of(caller.account_id, id)
  return { data: [...budgets], include_byok_in_budgets: include_byok }
})
