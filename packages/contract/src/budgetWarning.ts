/**
 * Warnings: a budget is nearly spent, is spent, or has denied a request. Each is given once for each window.
 *
 * Rule: money#budget-warnings. Source: docs/decisions/0003-decisions-and-money.md.
 */
import * as z from "zod"
import { ExplainedBudget } from "./budget.ts"
import { operation } from "./operation.ts"
import { createdAt, listOf, page, uuid } from "./primitives.ts"

export const BudgetWarning = z
  .object({
    kind: z
      .enum(["spent_80", "spent_95", "denied"])
      .describe(
        "`spent_80` and `spent_95`: the budget has reached this percentage. `denied`: the budget denied a request."
      ),
    workspace_id: uuid.describe("Id of the workspace whose request or charge caused the warning."),
    /** The budget as it was when the warning was recorded. */
    ...ExplainedBudget.shape,
    held_usd: ExplainedBudget.shape.held_usd
      .nullable()
      .describe("USD that admissions held when the warning was recorded. `null`: a settlement reached the threshold."),
    created_at: createdAt
  })
  .meta({
    id: "BudgetWarning",
    description: "Report that a budget is nearly spent or has denied a request, with the budget as it was then."
  })
export type BudgetWarning = z.output<typeof BudgetWarning>

const name = z.string().nullable()

export const ListedBudgetWarning = BudgetWarning.extend({
  workspace_name: name.describe("Present name of the workspace. `null`: it was deleted, or the key does not reach it."),
  entity_name: name.describe(
    "Present name of the key or the workspace whose budget it is. `null`: a member has none, it was deleted, or the key does not reach its workspace."
  ),
  guardrail_name: name.describe(
    "Present name of the guardrail. `null`: the budget is of none, it was deleted, or the key does not reach its workspace."
  )
}).meta({ id: "ListedBudgetWarning", description: "A budget warning, with the names of what it is about." })
export type ListedBudgetWarning = z.output<typeof ListedBudgetWarning>

export const listBudgetWarnings = operation({
  id: "listBudgetWarnings",
  method: "GET",
  path: "/gateway/budget-warnings",
  tag: "Gateway",
  changes: "nothing",
  summary: "List what budgets warned of",
  description:
    "At 80 % and 95 % of a limit and when a budget first denies, once for each window and limit; oldest first.",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ ...page, workspace_id: uuid.optional().describe("Id of a workspace. Only its warnings.") }),
  success: { schema: listOf(ListedBudgetWarning) },
  errors: [400, 401, 403, 500],
  example: {
    response: {
      data: [
        {
          kind: "spent_80",
          workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
          scope: "key_limit",
          entity: "894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a",
          guardrail_id: null,
          interval: "lifetime",
          window_start: null,
          limit_usd: "25",
          spent_usd: "20.5",
          held_usd: null,
          created_at: "2026-01-05T09:31:00.000Z",
          workspace_name: "Production",
          entity_name: "CI",
          guardrail_name: null
        }
      ],
      total_count: 1
    }
  }
})
