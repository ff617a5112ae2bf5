/**
 * The maximum cost of a request at a candidate, in whole nano-dollars rounded up, or why it is unknown.
 *
 * Rule: money#holds, money#unknown-prices: one token a byte of the prompt is an upper bound, at the
 * highest price that can apply to it; the completion at its cap, for each answer; prices per request, image and use of a server tool.
 * Exact: prices have up to 24 decimals, so the sum is taken in 1e-24 USD.
 */
import type { CatalogEndpoint } from "@gatewarden/contract"
import { type EndpointPrices, endpointPrices } from "./endpointPrices.ts"
import type { Objection } from "../value/issues.ts"
import { nanosOf } from "../value/money.ts"
import { type SentField, isTierField } from "../request/requestFields.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { isRunByClient, isToolField, toolPrice } from "../request/serverTools.ts"

/** The properties of an endpoint that determine costs. */
export type PricedEndpoint = Pick<
  CatalogEndpoint,
  | "pricing"
  | "server_tool_prices"
  | "max_completion_tokens"
  | "max_prompt_tokens"
  | "context_length"
  | "supports_implicit_caching"
>

/** Whether the prompt may fill the endpoint's context: with uncounted content, or content that a server tool adds. */
const fillsContext = (prices: EndpointPrices, size: RequestSize): boolean =>
  size.text_bytes === null ||
  size.opaque_parts > 0 ||
  size.server_tools.length > 0 ||
  (size.images > 0 && (prices.image === 0n || prices.has_image_token))

const contextOf = ({ max_prompt_tokens, context_length }: PricedEndpoint): number => max_prompt_tokens ?? context_length

/** How often a provider reads the prompt: once, and again after each use of a tool that it runs, for each answer. */
const mostTurns = ({ server_tools, choices }: RequestSize): number =>
  1 + choices * server_tools.reduce((sum, { name, most }) => sum + (isRunByClient(name) ? 0 : (most ?? 0)), 0)

/** The most tokens that are read, in all turns. */
export const promptBound = (endpoint: PricedEndpoint, size: RequestSize): number =>
  (size.text_bytes ?? 0) +
  (fillsContext(endpointPrices(endpoint.pricing), size) ? contextOf(endpoint) * mostTurns(size) : 0)

/** The most tokens that are written. */
export const completionBound = ({ max_completion_tokens: cap }: PricedEndpoint, size: RequestSize): number =>
  (Math.min(cap ?? Infinity, size.completion_tokens) + size.prediction_bytes) * size.choices

/**
 * The most tokens that a request uses, as the hold counts them. Messages that the data plane keeps to itself count as none: no client
 * decides that.
 */
export const tokenBound = (endpoint: PricedEndpoint, size: RequestSize): number =>
  promptBound(endpoint, size.text_bytes === null ? { ...size, text_bytes: 0 } : size) + completionBound(endpoint, size)

/** Whether tokens of the prompt may be those of images. A tool that the provider runs may bring some. */
export const mayReadImages = (size: RequestSize): boolean =>
  size.images > 0 || size.opaque_parts > 0 || size.text_bytes === null || size.server_tools.length > 0

/** The amount to hold for an input token. */
export const highestPromptPrice = ({ pricing }: PricedEndpoint, size: RequestSize): bigint => {
  const { prompt, prompt_with_images } = endpointPrices(pricing)
  return mayReadImages(size) ? prompt_with_images : prompt
}

/** The amount to hold for uses of server tools, as many for each answer; a tool without a price has an objection. */
const toolUnits = (endpoint: PricedEndpoint, { server_tools, choices }: RequestSize): bigint =>
  BigInt(choices) *
  server_tools.reduce((sum, { name, most }) => sum + (toolPrice(endpoint, name) ?? 0n) * BigInt(most ?? 0), 0n)

export const estimateCost = (endpoint: PricedEndpoint, size: RequestSize): bigint => {
  const prices = endpointPrices(endpoint.pricing)
  return nanosOf(
    highestPromptPrice(endpoint, size) * BigInt(promptBound(endpoint, size)) +
      prices.completion * BigInt(completionBound(endpoint, size)) +
      prices.request * BigInt(size.choices) +
      prices.image * BigInt(size.images) +
      (size.server_tools.length === 0 ? 0n : toolUnits(endpoint, size))
  )
}

const noObjections: readonly Objection[] = []

const because = (scope: "catalog" | "request", field: string, value: unknown): Objection => ({
  reason: { scope, guardrail_id: null, field, value },
  edit: null
})

/** Whether a reason is one of those. */
export const isUnpriced = ({ scope, field }: Objection["reason"]): boolean =>
  scope === "catalog"
    ? field === "context_length" || field.startsWith("pricing.")
    : scope === "request" && (isTierField(field) || isToolField(field))

/** Why the maximum cost is unknown; empty if `estimateCost` is a bound. No edit of a policy helps. */
export const unpricedObjections = (
  endpoint: PricedEndpoint,
  size: RequestSize,
  tier: SentField | null
): readonly Objection[] => {
  const prices = endpointPrices(endpoint.pricing)
  const isUnbounded = contextOf(endpoint) === 0 && prices.prompt_with_images > 0n && fillsContext(prices, size)
  if (prices.unknown.length === 0 && size.server_tools.length === 0 && !isUnbounded && tier === null)
    return noObjections
  return [
    ...prices.unknown.map((field) => because("catalog", field, "-1")),
    ...(isUnbounded ? [because("catalog", "context_length", 0)] : []),
    ...(tier === null ? [] : [because("request", tier.field, tier.value)]),
    ...size.server_tools.flatMap(({ field, name, most }) => {
      const price = toolPrice(endpoint, name)
      if (price === undefined) return [because("request", field, name)]
      // Each use of a tool has the prompt read again. A plugin is used before the model reads it.
      const isLoop = !/^plugins\./i.test(field) && !isRunByClient(name) && prices.prompt_with_images > 0n
      return most === null && (price > 0n || isLoop) ? [because("request", `${field}.max_uses`, null)] : []
    })
  ]
}
