/**
 * The cost of a request at the catalog's prices, in whole nano-dollars rounded up.
 *
 * Rule: money#cost-of-usage, models#prices. Exact, and never above `estimateCost` for usage within the held bounds: it uses the same
 * decimals, and of all prices those that apply. A priced unit that the upstream did not report is charged at what was held for it.
 */
import type { Pricing } from "@gatewarden/contract/internal"
import { nanosOf, recordableNanos, unitsOf } from "../value/money.ts"
import { remembered } from "../value/remembered.ts"
import { type UsageQuantities, endpointPrices } from "./endpointPrices.ts"
import { completionBound, highestPromptPrice, mayReadImages, type PricedEndpoint, promptBound } from "./estimateCost.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { type ServerTool, isWebSearch, kindOfTool, searchPrice, toolPrice } from "../request/serverTools.ts"

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

type PriceOverride = NonNullable<Pricing["overrides"]>[number]

/**
 * Whether all of its conditions hold. A prompt must be longer than the minimum; hours are `hhmm`, and a range that ends before it starts
 * passes midnight.
 */
const applies = (override: PriceOverride, prompt_tokens: number, at: Date): boolean => {
  const { min_prompt_tokens = -1, utc_start = 0, utc_end = 2400, utc_days } = override
  const time = at.getUTCHours() * 100 + at.getUTCMinutes()
  const inTime = utc_start <= utc_end ? time >= utc_start && time < utc_end : time >= utc_start || time < utc_end
  return (
    prompt_tokens > min_prompt_tokens &&
    inTime &&
    (utc_days === undefined || utc_days.some((day) => day === days[at.getUTCDay()]))
  )
}

/** A kind without a price costs the price of the kind that it is part of. */
const pricesOfKinds = remembered((listed: Pricing) => {
  const prompt = unitsOf(listed.prompt)
  const completion = unitsOf(listed.completion)
  const own = (price: string | undefined, other: bigint): bigint => (price === undefined ? other : unitsOf(price))
  const audio = own(listed.audio, prompt)
  const cache_write = own(listed.input_cache_write, prompt)
  return {
    prompt,
    cached: own(listed.input_cache_read, prompt),
    cache_write,
    cache_write_1h: own(listed.input_cache_write_1h, cache_write),
    audio,
    cached_audio: own(listed.input_audio_cache, own(listed.input_cache_read, audio)),
    image: own(listed.image_token, prompt),
    completion,
    reasoning: own(listed.internal_reasoning, completion),
    audio_output: own(listed.audio_output, completion),
    image_output: own(listed.image_output, completion)
  }
})

/** The prices of tokens that apply. */
const tokenPrices = (pricing: Pricing, prompt_tokens: number, at: Date) =>
  pricesOfKinds(
    (pricing.overrides ?? [])
      .filter((override) => applies(override, prompt_tokens, at))
      .reduce<Pricing>((prices, { min_prompt_tokens: _, utc_start: __, utc_end: ___, utc_days: ____, ...override }) => {
        const named = Object.entries(override).filter(([, price]) => price !== undefined)
        return { ...prices, ...Object.fromEntries(named) }
      }, pricing)
  )

export interface CostOfUsage {
  /** At most the largest amount that an event may have. */
  readonly nanos: bigint
  /** False if a priced unit was neither reported nor known from the hold, so that the sum lacks it. */
  readonly isWhole: boolean
}

/** A kind of tokens among others, of which each has one price. */
interface Kind {
  readonly count: number | undefined
  readonly price: bigint
  /** Whether the request can have used this kind. If so, and its number was not reported, all remaining tokens may be of it. */
  readonly possible: boolean
}

/**
 * Prices tokens by kind; the others at the base price, or at the highest price that may apply. If only `most` of them are charged, these are
 * the dearest: nobody knows which kinds the others were.
 */
const priceKinds = (total: number, base: bigint, kinds: readonly Kind[], most = total): bigint => {
  let left = total
  let rest = base
  const parts: { readonly price: bigint; readonly count: number }[] = []
  for (const { count, price, possible } of kinds) {
    if (count === undefined) {
      if (possible && price > rest) rest = price
      continue
    }
    const taken = Math.min(count, left)
    left -= taken
    parts.push({ price, count: taken })
  }
  parts.push({ price: rest, count: left })
  if (most < total) parts.sort((a, b) => (a.price < b.price ? 1 : -1))
  let charged = Math.min(most, total)
  let units = 0n
  for (const { price, count } of parts) {
    const taken = Math.min(count, charged)
    charged -= taken
    units += price * BigInt(taken)
  }
  return units
}

/**
 * What the uses of one kind of server tools cost. A tool has several names: a request declares one, the provider may report another, the
 * catalog may list both. Uses cost what was held for them, the dearest first; what is beyond them costs the dearest of the prices.
 */
const toolUnits = (
  endpoint: PricedEndpoint,
  tools: readonly Pick<ServerTool, "name" | "most">[],
  used: number | undefined,
  size: RequestSize | undefined
): bigint => {
  const priced = tools
    .map(({ name, most }) => ({
      price: toolPrice(endpoint, name) ?? 0n,
      uses: BigInt(most ?? 0) * BigInt(size?.choices ?? 1)
    }))
    .toSorted((one, other) => (one.price < other.price ? 1 : -1))
  let left = used === undefined ? priced.reduce((sum, { uses }) => sum + uses, 0n) : BigInt(used)
  let units = 0n
  for (const { price, uses } of priced) {
    const taken = uses < left ? uses : left
    left -= taken
    units += price * taken
  }
  return units + (priced[0]?.price ?? 0n) * left
}

/** Tools by their kind, web searches apart. */
const byKind = <T>(tools: Iterable<T>, nameOf: (tool: T) => string): ReadonlyMap<string, readonly T[]> => {
  const kinds = new Map<string, T[]>()
  for (const tool of tools) {
    if (isWebSearch(nameOf(tool))) continue
    const kind = kindOfTool(nameOf(tool))
    const others = kinds.get(kind)
    if (others === undefined) kinds.set(kind, [tool])
    else others.push(tool)
  }
  return kinds
}

// A settlement may be priced at each endpoint of a provider, and thousands of names may be reported.
const listedByKind = remembered((prices: NonNullable<PricedEndpoint["server_tool_prices"]>) =>
  byKind(Object.keys(prices), (name) => name)
)
const declaredByKind = remembered((tools: RequestSize["server_tools"]) => byKind(tools, ({ name }) => name))
const usesByKind = remembered((uses: UsageQuantities["server_tool_uses"]) => byKind(uses, ([name]) => name))

/** What server tools cost, web search apart: that has a price and a count of its own. */
const otherToolUnits = (endpoint: PricedEndpoint, usage: UsageQuantities, size: RequestSize | undefined): bigint => {
  if (endpoint.server_tool_prices === undefined) return 0n
  const listed = listedByKind(endpoint.server_tool_prices)
  const declared = size && declaredByKind(size.server_tools)
  const uses = usesByKind(usage.server_tool_uses)
  let units = 0n
  for (const [kind, names] of listed) {
    const used = uses.get(kind)?.reduce((all, [, count]) => all + count, 0)
    units += toolUnits(endpoint, declared?.get(kind) ?? names.map((name) => ({ name, most: 0 })), used, size)
  }
  return units
}

/** The uses of web search that were held for. */
const declaredSearches = (size: RequestSize | undefined): number | undefined =>
  size &&
  size.choices * size.server_tools.reduce((sum, { name, most }) => sum + (isWebSearch(name) ? (most ?? 0) : 0), 0)

/**
 * `at`: the time of the request, for overrides; if several apply, the last one that names a price counts. `size`: the size that was held
 * for; `undefined` if unknown. Answers `undefined` if a price is unknown.
 */
export const costOfUsage = (
  endpoint: PricedEndpoint,
  usage: UsageQuantities,
  at: Date,
  size: RequestSize | undefined
): CostOfUsage | undefined => {
  const { pricing } = endpoint
  const held = endpointPrices(pricing)
  if (held.unknown.length > 0) return undefined
  let isWhole = true
  /** The held number if none was reported; an unknown number is not in the sum. */
  const orHeld = (reported: number | undefined, bound: number | undefined, price: bigint): number => {
    if (reported === undefined && bound === undefined && price > 0n) isWhole = false
    return reported ?? bound ?? 0
  }
  const prompt_bound = size === undefined ? undefined : promptBound(endpoint, size)
  const prompt_tokens = orHeld(usage.prompt_tokens, prompt_bound, held.prompt_with_images)
  const prices = tokenPrices(pricing, prompt_tokens, at)
  /** Without a size, no higher price is assumed, and the sum is incomplete. */
  const isPossible = (
    possible: boolean | undefined,
    count: number | undefined,
    price: bigint,
    base: bigint
  ): boolean => {
    if (possible === undefined && count === undefined && price > base) isWhole = false
    return possible ?? false
  }
  // The price of an image pays for its tokens: those that the provider counts apart, and tokens beyond the bound of the rest.
  const pays_image_tokens = held.image > 0n && !held.has_image_token && (usage.images ?? size?.images) !== 0
  const charged_prompt = pays_image_tokens
    ? Math.min(
        Math.max(0, prompt_tokens - (usage.image_tokens ?? 0)),
        (size !== undefined && size.images > 0 ? prompt_bound : undefined) ?? Infinity
      )
    : prompt_tokens
  const caches = size && (size.may.cache || endpoint.supports_implicit_caching)
  const kind = (possible: boolean | undefined, count: number | undefined, price: bigint, base: bigint): Kind => ({
    count,
    price,
    possible: isPossible(possible, count, price, base)
  })
  const cached_audio = usage.cached_audio_tokens
  const cached = usage.cached_tokens
  const writes_1h = usage.cache_write_1h_tokens
  const writes = usage.cache_write_tokens
  const prompt =
    usage.prompt_tokens === undefined && size !== undefined
      ? highestPromptPrice(endpoint, size) * BigInt(prompt_tokens)
      : priceKinds(
          prompt_tokens,
          prices.prompt,
          [
            kind(caches && size?.may.read_audio, cached_audio, prices.cached_audio, prices.prompt),
            kind(caches, cached && Math.max(0, cached - (cached_audio ?? 0)), prices.cached, prices.prompt),
            kind(
              size?.may.cache_1h,
              writes_1h === undefined ? undefined : Math.min(writes_1h, writes ?? writes_1h),
              prices.cache_write_1h,
              prices.prompt
            ),
            kind(caches, writes && Math.max(0, writes - (writes_1h ?? 0)), prices.cache_write, prices.prompt),
            kind(
              size?.may.read_audio,
              usage.audio_tokens && Math.max(0, usage.audio_tokens - (cached_audio ?? 0)),
              prices.audio,
              prices.prompt
            ),
            // Where the request can have none, whatever is counted as theirs is text.
            kind(
              size && mayReadImages(size),
              pays_image_tokens || (size && !mayReadImages(size)) ? 0 : usage.image_tokens,
              prices.image,
              prices.prompt
            )
          ],
          charged_prompt
        )
  const completion_bound = size === undefined ? undefined : completionBound(endpoint, size)
  const came_through = usage.completion_bytes
  const written =
    usage.completion_tokens ??
    (came_through === undefined ? undefined : Math.min(came_through, completion_bound ?? Infinity))
  const completion_tokens = orHeld(written, completion_bound, held.completion)
  const completion =
    written === undefined
      ? held.completion * BigInt(completion_tokens)
      : priceKinds(completion_tokens, prices.completion, [
          kind(size && true, usage.reasoning_tokens, prices.reasoning, prices.completion),
          kind(size?.may.write_audio, usage.output_audio_tokens, prices.audio_output, prices.completion),
          kind(size?.may.write_images, usage.output_image_tokens, prices.image_output, prices.completion)
        ])
  const search = searchPrice(endpoint) ?? 0n
  const searches = search * BigInt(orHeld(usage.web_searches, declaredSearches(size), search))
  const units =
    prompt +
    completion +
    held.request * BigInt(usage.requests ?? size?.choices ?? 1) +
    held.image * BigInt(orHeld(usage.images, size?.images, held.image)) +
    searches +
    otherToolUnits(endpoint, usage, size)
  return { nanos: recordableNanos(nanosOf(units)), isWhole }
}
