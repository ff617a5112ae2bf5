/** The prices of an endpoint, parsed once: the highest that can apply to input and output tokens, and those of units. */
import type { Pricing } from "@gatewarden/contract"
import { isKnownPrice, unitsOf } from "../value/priceUnits.ts"
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
    Object.entries(prices).flatMap(([name, price]) =>
      typeof price === "string" && !isKnownPrice(price) ? [`${at}.${name}`] : []
    )
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
