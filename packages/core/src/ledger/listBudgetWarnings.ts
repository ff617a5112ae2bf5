import type { ListedBudgetWarning } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { reachesWorkspace } from "../access/restrictions.ts"
import { findBudgetNames } from "../naming/findBudgetNames.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { BudgetLedger } from "../ports/ledger.ts"
import { printedWarning } from "./printedWarning.ts"

/** Rule: money#budget-warnings, requests#names-beside-ids. */
export const listBudgetWarnings = operation("listBudgetWarnings")(function* (
  caller: Caller,
  { workspace_id, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  // Without one: those of the whole account, unless the key is kept to workspaces.
  const isOfAll = workspace_id === undefined && (caller.restrictions?.workspace_ids ?? null) === null
  const workspace = isOfAll ? undefined : yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* BudgetLedger).warnings(caller.account_id, workspace, page)
  const warnings = data.map(printedWarning)
  const namesOf = yield* findBudgetNames(caller.account_id, warnings, (id) => reachesWorkspace(caller, id))
  const listed: Page<ListedBudgetWarning> = {
    data: warnings.map((warning) => ({ ...warning, ...namesOf(warning) })),
    total_count
  }
  return listed
})
