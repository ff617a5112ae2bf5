/**
 * A budget in answers: whose spending it limits, what an admission holds in it, and what a settlement charges it.
 *
 * Rule: money#budgets, money#amounts. Money is a decimal string.
 */
import * as z from "zod"
import { BudgetInterval } from "./interval.ts"
import { documentedAs, timestamp, uuid } from "./primitives.ts"

/** An amount of USD: a plain decimal string. */
export const usdText = z.string().meta({ [documentedAs]: { type: "string", examples: ["0.0125"] } })

/** How long an admission holds its maximum cost. */
export const holdSeconds = z.int().min(30).max(3600)

/**
 * Whose spending the budget limits. The budget of the workspace's default guardrail limits each member over all keys of the member in the
 * workspace (`workspace_default_member`), and each key (`workspace_default_key`). The budget of another guardrail limits a member (`member`)
 * or a key (`key`). The limit of a key is `key_limit`; a budget of the whole workspace is `workspace_budget`.
 */
export const BudgetScope = z.enum([
  "workspace_default_member",
  "workspace_default_key",
  "member",
  "key",
  "key_limit",
  "workspace_budget"
])
export type BudgetScope = z.output<typeof BudgetScope>

/** Whose budget, and which window of it. */
const named = {
  scope: BudgetScope.describe("Whose spending the budget limits."),
  entity: z
    .string()
    .describe("Hash of the API key, id of the user, or id of the workspace whose spending the budget limits."),
  guardrail_id: uuid
    .nullable()
    .describe("Id of the guardrail. `null`: the rule or budget does not belong to a guardrail."),
  window_start: timestamp.nullable().describe("Start of the current window, in UTC. `null`: the budget never resets.")
}

export const Hold = z
  .object({
    ...named,
    amount_usd: usdText.describe("USD that is held.")
  })
  .meta({ id: "Hold", description: "An amount that is held in a budget." })
export type Hold = z.output<typeof Hold>

export const Charge = z
  .object({
    ...named,
    amount_usd: usdText.describe("USD that the budget was charged."),
    overdraft_usd: usdText.describe("Part of the charge above the limit, in USD.")
  })
  .meta({ id: "Charge", description: "The amount that a budget was charged." })
export type Charge = z.output<typeof Charge>

export const ExplainedBudget = z
  .object({
    ...named,
    interval: BudgetInterval.describe("Interval after which the budget resets. `lifetime`: it never resets."),
    limit_usd: usdText.describe("Limit of the budget in USD."),
    spent_usd: usdText.describe("USD spent in the current window."),
    held_usd: usdText.describe("USD held by admissions that are not settled yet.")
  })
  .meta({ id: "ExplainedBudget", description: "A budget with its spending." })
export type ExplainedBudget = z.output<typeof ExplainedBudget>
