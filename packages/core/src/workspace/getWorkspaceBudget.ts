import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { printedWorkspaceBudget } from "./printedWorkspaceBudget.ts"
import { requireInterval } from "./requireInterval.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceBudgets } from "../ports/workspaces.ts"

/** Rule: workspaces#workspace-budgets. */
export const getWorkspaceBudget = operation("getWorkspaceBudget")(function* (
  caller: Caller,
  idOrSlug: string,
  word: string
) {
  const interval = yield* requireInterval(word)
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const set = yield* (yield* WorkspaceBudgets).of(caller.account_id, id)
  return printedWorkspaceBudget(set, interval) ?? (yield* notFound())
})
