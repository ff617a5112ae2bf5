/**
 * The rules of a request itself: its provider preferences and its ingress region. They only narrow.
 *
 * Rule: admissions#preferences-of-a-request.
 */
import type { ProviderPreferences, Region } from "@gatewarden/contract"
import { type Candidate, goesBy } from "./Candidate.ts"
import { exceedsMaxPrice } from "./maxPrice.ts"
import { serves } from "./regionFacts.ts"

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
  readonly mended?: (terms: RequestTerms, candidate: Candidate) => unknown
}

const names = (list: readonly string[], candidate: Candidate): boolean => list.some((name) => goesBy(candidate, name))

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
    mended: ({ provider }, candidate) => [...(provider.only ?? []), candidate.provider]
  },
  {
    field: "provider.ignore",
    removes: ({ provider }, candidate) => provider.ignore != null && names(provider.ignore, candidate),
    value: ({ provider }) => provider.ignore,
    mended: ({ provider }, candidate) => provider.ignore?.filter((name) => !names([name], candidate))
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
    mended: () => true
  },
  {
    field: "provider.zdr",
    removes: ({ provider }, { retains }) => provider.zdr === true && retains,
    value: () => true,
    mended: () => false
  },
  {
    field: "provider.data_collection",
    removes: ({ provider }, candidate) => provider.data_collection === "deny" && collects(candidate),
    value: () => "deny",
    mended: () => "allow"
  },
  {
    field: "provider.quantizations",
    removes: ({ provider }, { endpoint }) =>
      provider.quantizations != null && !provider.quantizations.includes(endpoint.quantization ?? "unknown"),
    value: ({ provider }) => provider.quantizations,
    mended: ({ provider }, { endpoint }) => [...(provider.quantizations ?? []), endpoint.quantization ?? "unknown"]
  },
  {
    field: "provider.max_price",
    removes: ({ provider }, { endpoint }) =>
      provider.max_price != null && exceedsMaxPrice(endpoint.pricing, provider.max_price),
    value: ({ provider }) => provider.max_price,
    mended: () => null
  },
  {
    field: "provider.require_parameters",
    removes: ({ provider, parameters }, { endpoint }) =>
      provider.require_parameters === true &&
      (parameters ?? []).some((parameter) => !endpoint.supported_parameters.includes(parameter)),
    value: () => true,
    mended: () => false
  },
  {
    field: "provider.enforce_distillable_text",
    removes: ({ provider }, { distillable }) => provider.enforce_distillable_text === true && !distillable,
    value: () => true,
    mended: () => false
  }
]
