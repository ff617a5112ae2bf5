/**
 * Credits: what the operator has granted to an account, and what the account has spent.
 *
 * Rule: money#credits. They report, and block nothing.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { createdAt, dataOf, uuid } from "./primitives.ts"

export const Credits = z
  .object({
    total_credits: z.number().describe("USD granted to the account, less revoked USD."),
    total_usage: z
      .number()
      .describe("USD that all recorded usage cost, without usage paid with the account's own credentials.")
  })
  .meta({ id: "Credits", description: "Credits of the account and what was spent." })
export type Credits = z.output<typeof Credits>

/** A grant, or a revocation, as the audit log shows it. Amounts are decimal strings; that of a revocation is negative. */
export const CreditGrant = z.object({
  id: uuid.describe("Id of the entry in the ledger of credits."),
  amount_usd: z.string().describe("USD that the entry grants, as a decimal string. Negative: it revokes."),
  total_usd: z.string().describe("USD granted in all, including this entry, as a decimal string."),
  note: z.string().describe("Note of the operator on the grant."),
  created_at: createdAt
})
export type CreditGrant = z.output<typeof CreditGrant>

export const getCredits = operation({
  id: "getCredits",
  method: "GET",
  path: "/credits",
  tag: "Credits",
  changes: "nothing",
  summary: "Get the credits and the spending of the account",
  description:
    "`total_credits` is what the operator has granted to the account, 0 at first. `total_usage` is what its recorded usage cost in all. Neither limits anything: set limits of keys, or budgets.",
  access: "managementKey",
  success: { schema: dataOf(Credits), long: "usage" },
  errors: [401, 403, 500],
  example: { response: { data: { total_credits: 100.5, total_usage: 25.75 } } }
})
