import type { Credits as PrintedCredits } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { usdNumber } from "../value/money.ts"
import { Credits } from "../ports/credits.ts"

/** Rule: money#credits. */
export const getCredits = operation("getCredits")(function* (caller: Caller) {
  const { granted_nanos, spent_nanos } = yield* (yield* Credits).totals(caller.account_id)
  return { total_credits: usd(granted_nanos), total_usage: usd(spent_nanos) } satisfies PrintedCredits
})

/** The public client accepts only numbers here, however large the amount: the number next to the exact decimal. */
const usd = usdNumber
