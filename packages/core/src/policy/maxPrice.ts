/**
 * Whether an endpoint exceeds the `max_price` of a request.
 *
 * Rule: admissions#preferences-of-a-request: USD per million tokens for prompt and completion, USD per unit for
 * requests, images and audio. Of a price with overrides the highest counts; an unknown price exceeds every bound.
 */
import type { Pricing, ProviderPreferences } from "@gatewarden/contract"
import { parseUsd } from "../value/money.ts"
import { unitsOf, unitsPerNano } from "../value/priceUnits.ts"

type MaxPrice = NonNullable<ProviderPreferences["max_price"]>

interface Bound {
  readonly field: keyof MaxPrice
  /** The number of priced units that the bound is for. */
  readonly units: bigint
  readonly prices: (pricing: Pricing) => readonly (string | null | undefined)[]
}

const bounds: readonly Bound[] = [
  {
    field: "prompt",
    units: 1_000_000n,
    prices: ({ prompt, overrides = [] }) => [prompt, ...overrides.flatMap((override) => override.prompt ?? [])]
  },
  {
    field: "completion",
    units: 1_000_000n,
    prices: ({ completion, overrides = [] }) => [
      completion,
      ...overrides.flatMap((override) => override.completion ?? [])
    ]
  },
  { field: "request", units: 1n, prices: ({ request }) => [request ?? "0"] },
  { field: "image", units: 1n, prices: ({ image }) => [image ?? "0"] },
  {
    field: "audio",
    units: 1n,
    prices: ({ audio, overrides = [] }) => [audio ?? "0", ...overrides.flatMap((override) => override.audio ?? [])]
  }
]

const isKnown = (price: string | null | undefined): price is string => price != null && !price.startsWith("-")

export const exceedsMaxPrice = (pricing: Pricing, maxPrice: MaxPrice): boolean =>
  bounds.some(({ field, units, prices }) => {
    const asked = maxPrice[field]
    const most = asked == null ? undefined : parseUsd(asked)
    return (
      most !== undefined &&
      prices(pricing).some((price) => !isKnown(price) || unitsOf(price) * units > most * unitsPerNano)
    )
  })
