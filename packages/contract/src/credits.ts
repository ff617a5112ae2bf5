/**
 * Credits: what the operator has granted to an account, and what the account has spent.
 *
 * Rule: money#credits. They report, and block nothing.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { dataOf, timestamp, uuid } from "./primitives.ts"

export const Credits = z
  .object({
    /** USD that was granted, less what was revoked. */
    total_credits: z.number(),
    /** USD of all recorded usage at the prices of the gateway, without what was paid with the account's own credentials. */
    total_usage: z.number()
  })
  .meta({ id: "Credits" })
export type Credits = z.output<typeof Credits>

/** A grant, or a revocation, as the audit log shows it. Amounts are decimal strings; that of a revocation is negative. */
export const CreditGrant = z.object({
  id: uuid,
  amount_usd: z.string(),
  /** What is granted in all after it. */
  total_usd: z.string(),
  note: z.string(),
  created_at: timestamp
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
  success: { schema: dataOf(Credits) },
  errors: [401, 403, 500],
  example: { response: { data: { total_credits: 100.5, total_usage: 25.75 } } }
})
