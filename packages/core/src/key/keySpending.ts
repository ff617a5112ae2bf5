/**
 * A key's limit and what it has spent, as they are printed.
 *
 * Rule: access#key-limits. Sums are exact; only
 * printing makes numbers of them.
 */
import { rowOfInterval } from "@gatewarden/contract"
import { parseUsd, usdNumber } from "../value/money.ts"
import type { ApiKey } from "../ports/keys.ts"
import type { KeyUsage } from "../ports/usage.ts"

type Limited = Pick<ApiKey, "limit" | "limit_reset" | "include_byok_in_limit">

export const keySpending = (key: Limited, usage: KeyUsage) => ({
  limit: key.limit,
  limit_remaining: limitRemaining(key, usage),
  limit_reset: key.limit_reset,
  include_byok_in_limit: key.include_byok_in_limit,
  usage: usd(usage.credits.total),
  usage_daily: usd(usage.credits.day),
  usage_weekly: usd(usage.credits.week),
  usage_monthly: usd(usage.credits.month),
  byok_usage: usd(usage.byok.total),
  byok_usage_daily: usd(usage.byok.day),
  byok_usage_weekly: usd(usage.byok.week),
  byok_usage_monthly: usd(usage.byok.month)
})

/** The part of the limit that is neither spent nor held in the current window: `null` without a limit, 0 if it is used up or exceeded. */
const limitRemaining = (key: Limited, { credits, byok, held, byok_held }: KeyUsage): number | null => {
  if (key.limit === null) return null
  const window = rowOfInterval(key.limit_reset ?? "lifetime").unit ?? "total"
  const spent = credits[window] + held[window] + (key.include_byok_in_limit ? byok[window] + byok_held[window] : 0n)
  // What is read of a limit is printed as that limit, so most keys need no sum.
  if (spent === 0n) return key.limit
  const limit = parseUsd(key.limit)
  if (limit === undefined) return null
  return spent >= limit ? 0 : usd(limit - spent)
}

/** The public client accepts only numbers here, however large the amount. */
const usd = usdNumber
