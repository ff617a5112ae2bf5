/**
 * Which ingress region a request came through.
 *
 * Source: specification, Authentication 7; decisions 1 (`GATEWARDEN_REGION`, `GATEWARDEN_REGION_HOSTS`).
 */
import type { Region } from "@gatewarden/contract"

export interface RegionPolicy {
  /** The region of every request: the safe way, for a process behind one ingress. */
  readonly fixed?: Region
  /** Region by host name, lower-case, without port; unmatched is `global`. Only where a proxy fixes the header. */
  readonly hosts?: Readonly<Record<string, Region>>
  /** Whether `X-Forwarded-Host` counts in place of `Host`. */
  readonly trustProxy?: boolean
}

export const regionOf = (policy: RegionPolicy, headers: Readonly<Record<string, string | undefined>>): Region => {
  if (policy.fixed !== undefined) return policy.fixed
  if (policy.hosts === undefined) return "global"
  const forwarded = policy.trustProxy ? headers["x-forwarded-host"]?.split(",")[0]?.trim() : undefined
  const host = (forwarded ?? headers["host"] ?? "").toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "")
  return Object.hasOwn(policy.hosts, host) ? (policy.hosts[host] ?? "global") : "global"
}
