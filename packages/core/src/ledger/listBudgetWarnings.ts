import type { BudgetWarning as PrintedWarning } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../workspace/resolveWorkspace.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import { printedWarning } from "./printedWarning.ts"

export const listBudgetWarnings = operation("listBudgetWarnings")(function* (
  caller: Caller,
  { workspace_id, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  // Without one: those of the whole account, unless the key is kept to workspaces.
  const isOfAll = workspace_id === undefined && (caller.restrictions?.workspace_ids ?? null) === null
  const workspace = isOfAll ? undefined : yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* Effect.map(
    (yield* BudgetLedger).warnings(caller.account_id, workspace, page),
    ({ data, total_count }): Page<PrintedWarning> => ({ data: data.map(printedWarning), total_count })
  )
})
