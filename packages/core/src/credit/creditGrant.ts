import type { CreditGrant } from "@gatewarden/contract"
import { formatUsd } from "../value/money.ts"
import { type CreditDraft, mostCreditNanos } from "../ports/credits.ts"

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
