/**
 * What a request came to, at the catalog's prices, in whole nano-dollars rounded up.
 *
 * Source: decisions 14 (`cost_usd` of a settlement); public API 2.8 (overrides). Exact, and never above `estimateCost` for a request
 * of the size that was held: the same decimals, and of all prices the ones that apply.
 */
import type { Pricing } from "@gatewarden/contract"
import { nanosOf, unitsOf } from "./priceUnits.ts"

/** What an upstream says that it read and wrote. */
export interface TokenUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Of the prompt tokens, those that it had read before. */
  readonly cached_tokens?: number | null | undefined
  /** Of the others, those that it stored to read them again. */
  readonly cache_write_tokens?: number | null | undefined
}

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

type PriceOverride = NonNullable<Pricing["overrides"]>[number]

/**
 * Whether all of its conditions hold. A prompt must be longer than its least length; hours are `hhmm`, and a stretch that ends
 * before it starts goes over midnight.
 */
const applies = (override: PriceOverride, { prompt_tokens }: TokenUsage, at: Date): boolean => {
  const { min_prompt_tokens = -1, utc_start = 0, utc_end = 2400, utc_days } = override
  const day = days[at.getUTCDay()]
  const time = at.getUTCHours() * 100 + at.getUTCMinutes()
  const inTime = utc_start <= utc_end ? time >= utc_start && time < utc_end : time >= utc_start || time < utc_end
  return (
    prompt_tokens > min_prompt_tokens &&
    inTime &&
    (utc_days === undefined || (day !== undefined && utc_days.includes(day)))
  )
}

/** `at`: when the request was made, which overrides may ask for. Where several apply, the last one that names a price counts. */
export const costOfUsage = (pricing: Pricing, usage: TokenUsage, at: Date): bigint => {
  const { prompt, completion, input_cache_read, input_cache_write } = (pricing.overrides ?? [])
    .filter((override) => applies(override, usage, at))
    .reduce<Pick<Pricing, "prompt" | "completion" | "input_cache_read" | "input_cache_write">>(
      (prices, override) => ({
        prompt: override.prompt ?? prices.prompt,
        completion: override.completion ?? prices.completion,
        input_cache_read: override.input_cache_read ?? prices.input_cache_read,
        input_cache_write: override.input_cache_write ?? prices.input_cache_write
      }),
      pricing
    )
  const cached = Math.min(usage.cached_tokens ?? 0, usage.prompt_tokens)
  const stored = Math.min(usage.cache_write_tokens ?? 0, usage.prompt_tokens - cached)
  const units =
    unitsOf(prompt) * BigInt(usage.prompt_tokens - cached - stored) +
    unitsOf(input_cache_read ?? prompt) * BigInt(cached) +
    unitsOf(input_cache_write ?? prompt) * BigInt(stored) +
    unitsOf(completion) * BigInt(usage.completion_tokens) +
    unitsOf(pricing.request)
  return nanosOf(units)
}
