/**
 * Which ingress region a request came through.
 *
 * Rule: requests#ingress-regions.
 */
import type { Region } from "@gatewarden/contract"

export interface RegionPolicy {
  /** The region of every request: the safe way, for a process behind one ingress. */
  readonly fixed?: Region
  /** Region by host name, lower-case, without port; unmatched is `global`. Only where a proxy fixes the header. */
  readonly hosts?: Readonly<Record<string, Region>>
  /** How many proxies stand in front. From one on `X-Forwarded-Host` counts in place of `Host`. Default: none. */
  readonly trustedProxies?: number
}

/**
 * Of a list in `X-Forwarded-Host` the last entry counts: the proxy in front wrote it, and what stands before came from whoever
 * called that. Behind more proxies than one nobody can tell which entry to believe, so a list is no answer: undefined
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
