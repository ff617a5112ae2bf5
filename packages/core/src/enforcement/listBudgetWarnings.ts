import type { BudgetWarning as PrintedWarning } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Page, PageRequest } from "../Page.ts"
import { operation } from "../tracing/operation.ts"
import { formatUsd } from "../usage/money.ts"
import { resolveWorkspace } from "../workspace/resolveWorkspace.ts"
import { printedWindow } from "./admit.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import type { BudgetWarning } from "./BudgetWarning.ts"

const printed = ({ budget, spent_nanos, held_nanos, window_start, ...warning }: BudgetWarning): PrintedWarning => ({
  kind: warning.kind,
  workspace_id: warning.workspace_id,
  scope: budget.scope,
  entity: budget.entity,
  guardrail_id: budget.guardrail_id,
  interval: budget.interval,
  window_start: printedWindow(window_start),
  limit_usd: formatUsd(budget.limit_nanos),
  spent_usd: formatUsd(spent_nanos),
  held_usd: held_nanos === null ? null : formatUsd(held_nanos),
  created_at: warning.created_at
})

export const listBudgetWarnings = operation("listBudgetWarnings")(function* (
  caller: Caller,
  { workspace_id, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  const workspace =
    workspace_id === undefined ? undefined : yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* Effect.map(
    (yield* BudgetLedger).warnings(caller.account_id, workspace, page),
    ({ data, total_count }): Page<PrintedWarning> => ({ data: data.map(printed), total_count })
  )
})
