/**
 * The ingress region of a request.
 *
 * Rule: requests#ingress-regions.
 */
import type { Region } from "@gatewarden/contract"
import { BadRequest } from "../value/failure.ts"

export interface RegionPolicy {
  /** The region of every request, for a process behind one ingress. Clients cannot change it. */
  readonly fixed?: Region
  /** Region by host name, lower-case, without port; unmatched is `global`. Only where a proxy fixes the header. */
  readonly hosts?: Readonly<Record<string, Region>>
  /** How many proxies stand in front. From one on `X-Forwarded-Host` counts in place of `Host`. Default: none. */
  readonly trustedProxies?: number
}

/**
 * In a list of `X-Forwarded-Host` the last entry counts, because the proxy in front wrote it; earlier entries came from its caller. Behind
 * more than one proxy no entry is trustworthy, so a list gives undefined
 * (Rule: requests#ingress-regions).
 */
export const regionOf = (
  policy: RegionPolicy,
  headers: Readonly<Record<string, string | undefined>>
): Region | undefined => {
  if (policy.fixed !== undefined) return policy.fixed
  if (policy.hosts === undefined) return "global"
  const { trustedProxies = 0 } = policy
  const entries = trustedProxies > 0 ? headers["x-forwarded-host"]?.split(",") : undefined
  if (trustedProxies > 1 && entries !== undefined && entries.length > 1) return undefined
  const forwarded = entries?.at(-1)?.trim()
  const host = (forwarded ?? headers["host"] ?? "").toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "")
  return Object.hasOwn(policy.hosts, host) ? (policy.hosts[host] ?? "global") : "global"
}

/** The refusal of a request whose region `regionOf` cannot tell. */
export const ambiguousHost = () =>
  new BadRequest({
    reason: "invalid_header",
    issues: [
      { path: "header.x-forwarded-host", code: "ambiguous_host", message: "Expected one host behind several proxies" }
    ]
  })
