/** The prices of an endpoint, parsed once: the highest that can apply to input and output tokens, and those of units. */
import { type Pricing, type UsageQuantities as ReportedUsage, unknownPrice } from "@gatewarden/contract/internal"
import { isKnownPrice, unitsOf } from "../value/money.ts"
import { remembered } from "../value/remembered.ts"

/** In 1e-24 USD. */
export interface EndpointPrices {
  /** For an input token. Every override counts, because the provider decides whether its conditions hold. */
  readonly prompt: bigint
  /** The same for a prompt with images or unread content. */
  readonly prompt_with_images: bigint
  readonly completion: bigint
  readonly request: bigint
  readonly image: bigint
  /** Whether tokens of images have a price of their own. */
  readonly has_image_token: boolean
  /** Fields of the pricing with an unknown price, as reasons name them. */
  readonly unknown: readonly string[]
}

const highest = (prices: readonly (string | undefined)[]): bigint =>
  prices.reduce((most, price) => {
    const units = price === undefined || !isKnownPrice(price) ? 0n : unitsOf(price)
    return units > most ? units : most
  }, 0n)

const read = (pricing: Pricing): EndpointPrices => {
  const overrides = pricing.overrides ?? []
  const prompt = highest(
    [pricing, ...overrides].flatMap((prices) => [
      prices.prompt,
      prices.audio,
      prices.input_audio_cache,
      prices.input_cache_read,
      prices.input_cache_write,
      prices.input_cache_write_1h
    ])
  )
  const image_token = highest([pricing.image_token])
  // A request with a search is refused if the price of a search is absent.
  const { web_search: _, overrides: __, discount: ___, ...listed } = pricing
  const unknownIn = (prices: object, at: string): readonly string[] =>
    Object.entries(prices).flatMap(([name, price]) => (price === unknownPrice ? [`${at}.${name}`] : []))
  return {
    prompt,
    prompt_with_images: image_token > prompt ? image_token : prompt,
    completion: highest([
      pricing.completion,
      pricing.internal_reasoning,
      pricing.audio_output,
      pricing.image_output,
      ...overrides.map(({ completion }) => completion)
    ]),
    request: highest([pricing.request]),
    image: highest([pricing.image]),
    has_image_token: image_token > 0n,
    unknown: [
      ...unknownIn(listed, "pricing"),
      ...overrides.flatMap((override, index) => unknownIn(override, `pricing.overrides.${index}`))
    ]
  }
}

export const endpointPrices = remembered(read)

/** The counts of a provider's usage, each under one name; an absent count was not reported. Rule: money#cost-of-usage. */
export interface UsageQuantities {
  readonly prompt_tokens: number | undefined
  readonly cached_tokens: number | undefined
  readonly cached_audio_tokens: number | undefined
  readonly cache_write_tokens: number | undefined
  readonly cache_write_1h_tokens: number | undefined
  readonly audio_tokens: number | undefined
  readonly image_tokens: number | undefined
  readonly images: number | undefined
  readonly completion_tokens: number | undefined
  readonly completion_bytes: number | undefined
  readonly reasoning_tokens: number | undefined
  readonly output_audio_tokens: number | undefined
  readonly output_image_tokens: number | undefined
  readonly requests: number | undefined
  readonly web_searches: number | undefined
  /** By type. */
  readonly server_tool_uses: ReadonlyMap<string, number>
}

const noUses: ReadonlyMap<string, number> = new Map()

/**
 * A total above the sum counts as completion, and so does reasoning above the completion: some providers count reasoning in nothing else.
 * Rule: money#cost-of-usage.
 */
const writtenTokens = (
  { prompt_tokens, completion_tokens, total_tokens }: ReportedUsage,
  reasoning_tokens: number | undefined
): number | undefined => {
  const rest = total_tokens == null || prompt_tokens == null ? undefined : Math.max(0, total_tokens - prompt_tokens)
  const written = completion_tokens ?? rest
  return written === undefined ? undefined : Math.max(written, rest ?? 0, reasoning_tokens ?? 0)
}

export const quantitiesOf = (usage: ReportedUsage): UsageQuantities => {
  const read = usage.prompt_tokens_details
  const written = usage.completion_tokens_details
  const uses = usage.server_tool_use
  const cached_audio_tokens = read?.cached_audio_tokens ?? undefined
  const cache_write_1h_tokens = read?.cache_write_1h_tokens ?? undefined
  const reasoning_tokens = written?.reasoning_tokens ?? usage.reasoning_tokens ?? undefined
  return {
    prompt_tokens: usage.prompt_tokens ?? undefined,
    cached_tokens: read?.cached_tokens ?? usage.cached_tokens ?? cached_audio_tokens,
    cached_audio_tokens,
    cache_write_tokens: read?.cache_write_tokens ?? usage.cache_write_tokens ?? cache_write_1h_tokens,
    cache_write_1h_tokens,
    audio_tokens: read?.audio_tokens ?? undefined,
    image_tokens: read?.image_tokens ?? undefined,
    images: usage.images ?? undefined,
    completion_tokens: writtenTokens(usage, reasoning_tokens),
    completion_bytes: usage.completion_bytes ?? undefined,
    reasoning_tokens,
    output_audio_tokens: written?.audio_tokens ?? undefined,
    output_image_tokens: written?.image_tokens ?? undefined,
    requests: usage.requests ?? undefined,
    web_searches: uses?.["web_search_requests"] ?? undefined,
    server_tool_uses:
      uses == null ? noUses : new Map(Object.entries(uses).flatMap(([name, n]) => (n == null ? [] : [[name, n]])))
  }
}
