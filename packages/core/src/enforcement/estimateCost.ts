/**
 * The most that a request can cost at a candidate, in whole nano-dollars rounded up.
 *
 * Source: decisions 14 (hold): one token a byte of the prompt is an upper bound, at the highest price that can apply to it; the
 * completion at its cap; prices per request and per image. Exact: prices have up to 24 decimals, so the sum is taken in 1e-24 USD.
 */
import type { CatalogEndpoint, Pricing } from "@gatewarden/contract"
import { nanosOf, unitsOf } from "./priceUnits.ts"

const highest = (prices: readonly (string | undefined)[]): bigint =>
  prices.reduce((most, price) => {
    const units = price === undefined ? 0n : unitsOf(price)
    return units > most ? units : most
  }, 0n)

interface HighestPrices {
  readonly prompt: bigint
  readonly completion: bigint
  readonly request: bigint
  readonly image: bigint
}

/** Conditions of overrides are the provider's to judge when the request arrives there, so every override counts. */
const highestPrices = (pricing: Pricing): HighestPrices => ({
  prompt: highest([
    pricing.prompt,
    pricing.audio,
    pricing.input_audio_cache,
    pricing.input_cache_read,
    pricing.input_cache_write,
    pricing.input_cache_write_1h,
    ...(pricing.overrides ?? []).flatMap((override) => [
      override.prompt,
      override.audio,
      override.input_audio_cache,
      override.input_cache_read,
      override.input_cache_write,
      override.input_cache_write_1h
    ])
  ]),
  completion: highest([
    pricing.completion,
    pricing.internal_reasoning,
    pricing.audio_output,
    pricing.image_output,
    ...(pricing.overrides ?? []).map(({ completion }) => completion)
  ]),
  request: unitsOf(pricing.request),
  image: highest([pricing.image, pricing.image_token])
})

/** Prices of an endpoint are read once. */
const known = new WeakMap<Pricing, HighestPrices>()

const pricesOf = (pricing: Pricing): HighestPrices => {
  let prices = known.get(pricing)
  if (prices === undefined) known.set(pricing, (prices = highestPrices(pricing)))
  return prices
}

/** What a request may make a model read and write. */
export interface RequestSize {
  /** UTF-8 bytes of the messages; `null` when they are not known, and may be all that the endpoint takes. */
  readonly prompt_bytes: number | null
  readonly images: number
  readonly completion_tokens: number
}

export const estimateCost = (
  {
    pricing,
    max_completion_tokens: cap,
    max_prompt_tokens,
    context_length
  }: Pick<CatalogEndpoint, "pricing" | "max_completion_tokens" | "max_prompt_tokens" | "context_length">,
  { prompt_bytes, images, completion_tokens }: RequestSize
): bigint => {
  const prices = pricesOf(pricing)
  const completion = cap === null ? completion_tokens : Math.min(cap, completion_tokens)
  const units =
    prices.prompt * BigInt(prompt_bytes ?? max_prompt_tokens ?? context_length) +
    prices.completion * BigInt(completion) +
    prices.request +
    prices.image * BigInt(images)
  return nanosOf(units)
}
