/**
 * Where a request comes in and where its endpoints lie: what a denial because of a region is explained with.
 *
 * Rule: guardrails#regions, admissions#preferences-of-a-request.
 */
import type { Region } from "@gatewarden/contract"
import type { Candidate } from "./Candidate.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import { openRegions } from "./Policy.ts"
import type { RequestTerms } from "./requestRules.ts"

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
