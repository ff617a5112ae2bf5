/**
 * Workspace budgets: limits on the spending of a workspace, one for each interval.
 *
 * Rule: workspaces#workspace-budgets. The SDK takes an interval of `null` for a lifetime; the path says `lifetime`.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { BudgetInterval, ResetInterval } from "./interval.ts"
import {
  createdAt,
  Deleted,
  documentedAs,
  entriesOf,
  pathName,
  updatedAt,
  usd,
  uuid,
  workspaceId
} from "./primitives.ts"
import { workspaceParams } from "./workspace.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  limit_usd: "Limit in USD for each interval, above 0.",
  include_byok_in_budgets:
    "Whether spending with the account's own provider credentials counts, in every budget of the workspace."
} as const

export const WorkspaceBudget = z
  .object({
    id: uuid.describe("Id of the budget."),
    workspace_id: workspaceId,
    limit_usd: z.number().describe(about.limit_usd),
    reset_interval: ResetInterval.nullable().describe(
      "Interval after which the budget resets. `null`: a lifetime budget, which never resets."
    ),
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "WorkspaceBudget", description: "A limit on the spending of a workspace." })
export type WorkspaceBudget = z.output<typeof WorkspaceBudget>

/** Whether spending with the workspace's own credentials counts, in every budget of the workspace. */
const include_byok_in_budgets = z.boolean()

export const PutWorkspaceBudget = z
  .object({
    limit_usd: usd.gt(0).describe(about.limit_usd),
    include_byok_in_budgets: include_byok_in_budgets
      .nullish()
      .describe(
        "Whether spending with the account's own provider credentials counts, in every budget of the workspace. Absent or `null`: unchanged, initially `false`."
      )
  })
  .meta({ id: "PutWorkspaceBudget", description: "The budget to set." })
export type PutWorkspaceBudget = z.output<typeof PutWorkspaceBudget>

const OneBudget = z.object({
  data: WorkspaceBudget,
  include_byok_in_budgets: include_byok_in_budgets.describe(about.include_byok_in_budgets)
})

const budgetParams = workspaceParams.extend({
  interval: pathName
    .meta({ [documentedAs]: { type: "string", enum: BudgetInterval.options } })
    .describe("Interval of the budget. `lifetime` never resets.")
})

const example: WorkspaceBudget = {
  id: "e7b0a685-dee4-42be-86d1-2d36c3f44ffe",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  limit_usd: 500,
  reset_interval: "monthly",
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

const params = { id: "research", interval: "monthly" }

export const listWorkspaceBudgets = operation({
  id: "listWorkspaceBudgets",
  method: "GET",
  path: "/workspaces/:id/budgets",
  tag: "Workspaces",
  changes: "nothing",
  summary: "List the budgets of a workspace",
  description: "From the shortest interval to the longest.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  success: {
    schema: z.object({
      data: entriesOf(WorkspaceBudget),
      include_byok_in_budgets: include_byok_in_budgets.describe(about.include_byok_in_budgets)
    })
  },
  errors: [401, 403, 404, 500],
  example: { params: { id: "research" }, response: { data: [example], include_byok_in_budgets: false } }
})

export const getWorkspaceBudget = operation({
  id: "getWorkspaceBudget",
  method: "GET",
  path: "/workspaces/:id/budgets/:interval",
  tag: "Workspaces",
  changes: "nothing",
  summary: "Get the budget of a workspace for an interval",
  access: "managementKey",
  workspaceOf: "workspace",
  params: budgetParams,
  success: { schema: OneBudget },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: example, include_byok_in_budgets: false } }
})

export const putWorkspaceBudget = operation({
  id: "putWorkspaceBudget",
  method: "PUT",
  path: "/workspaces/:id/budgets/:interval",
  tag: "Workspaces",
  changes: { noun: "workspace_budget", action: "update" },
  summary: "Set the budget of a workspace for an interval",
  description: `Days begin at midnight UTC, weeks on Monday, months on the first. A longer interval has a larger budget; from the shortest to the longest: ${BudgetInterval.options.join(", ")}. A budget below what was spent denies from then on. \`include_byok_in_budgets\` is one setting for every budget of the workspace.`,
  access: "managementKey",
  workspaceOf: "workspace",
  params: budgetParams,
  body: json(PutWorkspaceBudget),
  success: { schema: OneBudget },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { limit_usd: 500 }, response: { data: example, include_byok_in_budgets: false } }
})

export const deleteWorkspaceBudget = operation({
  id: "deleteWorkspaceBudget",
  method: "DELETE",
  path: "/workspaces/:id/budgets/:interval",
  tag: "Workspaces",
  changes: { noun: "workspace_budget", action: "delete" },
  summary: "Remove the budget of a workspace for an interval",
  description: "Whether there was one makes no difference.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: budgetParams,
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { deleted: true } }
})
