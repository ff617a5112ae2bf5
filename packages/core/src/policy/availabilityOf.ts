/**
 * Why no endpoint may serve a request, in the words of the public API.
 *
 * Rule: admissions#availability.
 */
import type { AdmissionReason, Availability, AvailabilityCode } from "@gatewarden/contract"

/** The words of the public API for the fields of rules. Other fields stand for themselves. */
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
