/**
 * The table of rate limits of operations, each named once.
 *
 * Rule: requests#rate-limits. An operation names its rows in `rateLimits`.
 */
export interface RateLimit {
  /** The name of the policy in the `RateLimit-Policy` header. */
  readonly name: string
  readonly per: "key" | "account"
  readonly limit: number
  /** `sliding`: in any span of that many seconds. `utc_day`: from midnight to midnight UTC. */
  readonly window: { readonly kind: "sliding"; readonly seconds: number } | { readonly kind: "utc_day" }
}

/** An operation that calls an address of the account's choice, at once, whenever it is asked to. An account makes keys as it likes. */
const tests = [{ name: "minute", per: "account", limit: 10, window: { kind: "sliding", seconds: 60 } }] as const

export const rateLimitTable: Readonly<Record<string, readonly RateLimit[]>> = {
  alertChannelTests: tests,
  datasets: [
    { name: "minute", per: "key", limit: 30, window: { kind: "sliding", seconds: 60 } },
    { name: "day", per: "account", limit: 500, window: { kind: "utc_day" } }
  ],
  destinationTests: tests,
  privateEndpointTests: tests,
  fileDeletion: [{ name: "minute", per: "key", limit: 60, window: { kind: "sliding", seconds: 60 } }]
}
