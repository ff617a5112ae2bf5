import type { CreditGrant, Credits as PrintedCredits } from "@gatewarden/contract/internal"
import type { Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type CreditDraft, Credits, mostCreditNanos } from "../ports/credits.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { formatUsd, usdNumber } from "../value/money.ts"

/** Rule: money#credits. */
export const getCredits = operation("getCredits")(function* (caller: Caller) {
  const { granted_nanos, spent_nanos } = yield* (yield* Credits).totals(caller.account_id)
  return { total_credits: usd(granted_nanos), total_usage: usd(spent_nanos) } satisfies PrintedCredits
})

/** The public client accepts only numbers here, however large the amount: the number next to the exact decimal. */
const usd = usdNumber

/** The entry that a draft becomes after others with this total; undefined if the total would leave its range. */
export const creditGrant = (
  { amount_nanos, ...draft }: CreditDraft,
  granted_nanos: bigint
): { readonly grant: CreditGrant; readonly total_nanos: bigint } | undefined => {
  const total_nanos = granted_nanos + amount_nanos
  if (total_nanos < 0n || total_nanos > mostCreditNanos) return undefined
  return {
    total_nanos,
    grant: { ...draft, amount_usd: formatUsd(amount_nanos), total_usd: formatUsd(total_nanos) }
  }
}

/** Grants credits to an account, or revokes them with a negative amount, for the command line. Rule: money#credits. */
export const grantCredits = operation("grantCredits")(function* (
  account_id: string,
  amount_nanos: bigint,
  note: string
) {
  const id = (yield* Entropy).uuid()
  const created_at = yield* timestamp
  return yield* (yield* Credits).append(account_id, { id, amount_nanos, note, created_at })
})
