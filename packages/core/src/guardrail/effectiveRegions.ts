import { Region } from "@gatewarden/contract"

/**
 * The ingress regions that all guardrails allow: the intersection of every list that is not `null`.
 *
 * Rule: guardrails#regions, guardrails#effective-policy: an empty intersection allows no request.
 */
export const effectiveRegions = (
  guardrails: readonly { readonly allowed_data_regions: readonly Region[] | null }[]
): Region[] =>
  Region.options.filter((region) =>
    guardrails.every(
      ({ allowed_data_regions }) => allowed_data_regions === null || allowed_data_regions.includes(region)
    )
  )
