/**
 * The window of a budget that holds an instant: windows are functions of the clock, and nothing ever resets them.
 *
 * Source: decisions 5 and 14: UTC days, ISO weeks from Monday, months from the first, or never.
 */
import type { BudgetInterval } from "@gatewarden/contract"
import { startOfBucket } from "../analytics/timeWindow.ts"

const granularities = { daily: "day", weekly: "week", monthly: "month" } as const

/** Epoch milliseconds of the window's start, `null` for a lifetime. */
export const windowStart = (interval: BudgetInterval, now: number): number | null =>
  interval === "lifetime" ? null : startOfBucket(granularities[interval], now)
