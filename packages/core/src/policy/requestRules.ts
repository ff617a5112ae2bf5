/**
 * The rules of a request itself: its provider preferences and its ingress region. They only narrow.
 *
 * Rule: admissions#preferences-of-a-request.
 */
import type {
  AdmissionReason,
  Availability,
  AvailabilityCode,
  Pricing,
  ProviderPreferences,
  Region
} from "@gatewarden/contract/internal"
import { parseUsd, unitsOf, unitsPerNano } from "../value/money.ts"
import { adding, type ListChange } from "../value/issues.ts"
import { type Candidate, listedNames, placeIn, providerPlaces, withoutNames } from "./Candidate.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import { openRegions } from "./Policy.ts"

/**
 * Whether an endpoint exceeds the `max_price` of a request.
 *
 * Rule: admissions#preferences-of-a-request: USD per million tokens for prompt and completion, USD per unit for
 * requests, images and audio. Of a price with overrides the highest counts; an unknown price exceeds every bound.
 */
type MaxPrice = NonNullable<ProviderPreferences["max_price"]>

interface Bound {
  readonly field: keyof MaxPrice
  /** The number of priced units that the bound is for. */
  readonly units: bigint
  readonly prices: (pricing: Pricing) => readonly string[]
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
    // Thought tokens are tokens of the completion.
    prices: ({ completion, internal_reasoning = completion, overrides = [] }) => [
      completion,
      internal_reasoning,
      ...overrides.flatMap((override) => override.completion ?? [])
    ]
  },
  { field: "request", units: 1n, prices: ({ request }) => [request] },
  { field: "image", units: 1n, prices: ({ image }) => [image] },
  {
    field: "audio",
    units: 1n,
    prices: ({ audio, overrides = [] }) => [audio ?? "0", ...overrides.flatMap((override) => override.audio ?? [])]
  }
]

const isKnown = (price: string): boolean => !price.startsWith("-")

export const exceedsMaxPrice = (pricing: Pricing, maxPrice: MaxPrice): boolean =>
  bounds.some(({ field, units, prices }) => {
    const asked = maxPrice[field]
    const most = asked == null ? undefined : parseUsd(asked)
    return (
      most !== undefined &&
      prices(pricing).some((price) => !isKnown(price) || unitsOf(price) * units > most * unitsPerNano)
    )
  })

/**
 * Where a request comes in and where its endpoints lie: what a denial because of a region is explained with.
 *
 * Rule: guardrails#regions, admissions#preferences-of-a-request.
 */
export interface RegionFacts {
  readonly ingress: Region
  /** The ingress regions that every guardrail allows. */
  readonly allowed: readonly Region[]
  readonly missing: readonly ("ingress" | "endpoint")[]
  /** The ingress region if it is allowed, otherwise the allowed ones; with the endpoints of the requested models that lie there. */
  readonly served: readonly { readonly region: Region; readonly candidates: readonly Candidate[] }[]
}

/** A `global` request may be served anywhere; others only in their ingress region. */
export const serves = ({ data_regions }: Pick<Candidate, "data_regions">, region: Region): boolean =>
  region === "global" || data_regions.includes(region)

export const regionFacts = (
  { effective }: CompiledPolicy,
  { ingress_region: ingress }: RequestTerms,
  candidates: readonly Candidate[]
): RegionFacts => {
  const allowed = openRegions(effective)
  const isOpen = allowed.includes(ingress)
  const served = (isOpen ? [ingress] : allowed).map((region) => ({
    region,
    candidates: candidates.filter((candidate) => serves(candidate, region))
  }))
  const lacksEndpoint =
    candidates.length > 0 && served.length > 0 && served.every(({ candidates: some }) => some.length === 0)
  return {
    ingress,
    allowed,
    missing: [...(isOpen ? [] : (["ingress"] as const)), ...(lacksEndpoint ? (["endpoint"] as const) : [])],
    served
  }
}

/** The conditions of a request on its candidates. */
export interface RequestTerms {
  readonly ingress_region: Region
  readonly provider: ProviderPreferences
  /** The request's parameters by the names that endpoints list in `supported_parameters`; absent: unknown. */
  readonly parameters?: readonly string[]
}

export interface RequestRule {
  /** As the request names it. */
  readonly field: string
  readonly removes: (terms: RequestTerms, candidate: Candidate) => boolean
  readonly value: (terms: RequestTerms) => unknown
  /** The nearest value that does not remove the candidate; undefined if no change of the request is proposed. */
  readonly mended?: (terms: RequestTerms, candidate: Candidate) => { readonly to: unknown } | ListChange
  /** As of a rule of a guardrail. */
  readonly sharedBy?: (terms: RequestTerms, candidate: Candidate) => string
}

const names = (list: readonly string[], candidate: Candidate): boolean => placeIn(list, candidate) !== undefined

const collects = ({ trains, publishes }: Candidate): boolean => trains || publishes

export const requestRules: readonly RequestRule[] = [
  {
    field: "ingress_region",
    removes: ({ ingress_region: region }, candidate) => !serves(candidate, region),
    value: ({ ingress_region }) => ingress_region
  },
  {
    field: "provider.only",
    removes: ({ provider }, candidate) => provider.only != null && !names(provider.only, candidate),
    value: ({ provider }) => provider.only,
    mended: (_, { provider }) => adding(provider),
    sharedBy: (_, { provider }) => provider
  },
  {
    field: "provider.ignore",
    removes: ({ provider }, candidate) => provider.ignore != null && names(provider.ignore, candidate),
    value: ({ provider }) => provider.ignore,
    mended: ({ provider: { ignore } }, { provider_names }) =>
      withoutNames(ignore ?? [], providerPlaces(ignore ?? []), provider_names),
    sharedBy: ({ provider: { ignore } }, { provider_names }) =>
      listedNames(providerPlaces(ignore ?? []), provider_names)
  },
  {
    // A BYOK credential comes first, whatever the order.
    field: "provider.allow_fallbacks",
    removes: ({ provider }, candidate) =>
      provider.allow_fallbacks === false &&
      provider.order != null &&
      provider.order.length > 0 &&
      candidate.source === "shared" &&
      !names(provider.order, candidate),
    value: () => false,
    mended: () => ({ to: true })
  },
  {
    field: "provider.zdr",
    removes: ({ provider }, { retains }) => provider.zdr === true && retains,
    value: () => true,
    mended: () => ({ to: false })
  },
  {
    field: "provider.data_collection",
    removes: ({ provider }, candidate) => provider.data_collection === "deny" && collects(candidate),
    value: () => "deny",
    mended: () => ({ to: "allow" })
  },
  {
    field: "provider.quantizations",
    removes: ({ provider }, { endpoint }) =>
      provider.quantizations != null && !provider.quantizations.includes(endpoint.quantization ?? "unknown"),
    value: ({ provider }) => provider.quantizations,
    mended: (_, { endpoint }) => adding(endpoint.quantization ?? "unknown")
  },
  {
    field: "provider.max_price",
    removes: ({ provider }, { endpoint }) =>
      provider.max_price != null && exceedsMaxPrice(endpoint.pricing, provider.max_price),
    value: ({ provider }) => provider.max_price,
    mended: () => ({ to: null })
  },
  {
    field: "provider.require_parameters",
    removes: ({ provider, parameters }, { endpoint }) =>
      provider.require_parameters === true &&
      (parameters ?? []).some((parameter) => !endpoint.supported_parameters.includes(parameter)),
    value: () => true,
    mended: () => ({ to: false })
  },
  {
    field: "provider.enforce_distillable_text",
    removes: ({ provider }, { distillable }) => provider.enforce_distillable_text === true && !distillable,
    value: () => true,
    mended: () => ({ to: false })
  }
]

/**
 * Why no endpoint may serve a request, in the words of the public API.
 *
 * Rule: admissions#availability.
 *
 * The words of the public API for the fields of rules. Other fields stand for themselves.
 */
const words: readonly (readonly [RegExp, string])[] = [
  [/^(?:allowed_data_regions|ingress_region)$/, "data_region"],
  [/^(?:enforce_zdr_.+|provider\.zdr)$/, "data_policy:zdr"],
  [/^(?:enable_.+_(?:training|publication)|provider\.data_collection)$/, "data_policy:training"],
  [/^(?:(?:allowed|ignored)_providers|provider\.(?:only|ignore|allow_fallbacks))$/, "allowed_providers"],
  [/^provider\.max_price$/, "max_price"],
  [/^provider\.quantizations$/, "quantization"],
  [/^provider\.require_parameters$/, "require_parameters"]
]

const wordOf = (field: string): string => words.find(([pattern]) => pattern.test(field))?.[1] ?? field

/** A denial does not change by itself, so the same request is refused again. */
const facts = (code: AvailabilityCode, requested_models: readonly string[]) => ({
  code,
  retryable: false,
  requested_models: [...requested_models]
})

/** No model of the request is in the catalog, or none of those that are has an endpoint. */
export const unservedModel = (models: readonly string[], isListed: boolean): Omit<Availability, "docs_url"> =>
  facts(isListed ? "no_endpoints" : "model_not_found", models)

/** The key may not be used through the region. */
export const closedRegion = (models: readonly string[]): Omit<Availability, "docs_url"> => ({
  ...facts("region_restricted", models),
  excluded_by: ["data_region"]
})

/** Rules removed every endpoint. `reasons`: of rules, without those of budgets. */
export const removedEndpoints = (
  models: readonly string[],
  reasons: readonly AdmissionReason[]
): Omit<Availability, "docs_url"> => {
  const fields = [...new Set(reasons.map(({ field }) => field))]
  const excluded_by = [...new Set(fields.map(wordOf))]
  if (excluded_by.some((word) => word.startsWith("data_policy:")))
    return { ...facts("privacy_restricted", models), excluded_by }
  return {
    ...facts("constraint_filtered", models),
    excluded_by,
    constraint: { field: excluded_by[0] ?? "", detail: `Endpoints were removed by ${fields.join(", ")}.` }
  }
}
