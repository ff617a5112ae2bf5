import type { OperationShape } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Uncommitted } from "../cache/Freshness.ts"
import { type CountedRequest, type Quota, RequestCounts } from "../ports/limits.ts"
import { RateLimited } from "../value/failure.ts"
import { dayMillis } from "../value/calendar.ts"

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

/**
 * Counts a request against the rate limits of its operation, and returns the remainder.
 *
 * Rule: requests#rate-limits: every authenticated request counts but those answered 429, which carry `Retry-After`; all
 * carry `RateLimit-Policy` and `RateLimit`.
 */
export const consumeRateLimits = (operation: OperationShape, caller: Caller, headers: Record<string, string>) =>
  operation.rateLimits === undefined ? Effect.void : consumeNamed(operation.rateLimits, caller, headers)

/** For an operation of which only some requests count: it says itself that one does. */
export const consumeNamed = Effect.fnUntraced(function* (
  named: readonly string[],
  caller: Caller,
  headers: Record<string, string>
) {
  const rows = named.flatMap((name) => (rateLimitTable[name] ?? []).map((limit) => ({ name, limit })))
  const store = yield* RequestCounts
  const { admitted, states, now } = yield* store.consume(rows.map(({ name, limit }) => quotaOf(name, limit, caller)))
  const counted = rows.flatMap(({ limit }, index) => {
    const state = states[index]
    return state === undefined ? [] : [{ limit, ...state }]
  })
  const secondsUntil = (millis: number) => Math.max(1, Math.ceil((millis - now) / 1000))
  headers["ratelimit-policy"] = counted
    .map(({ limit }) => `"${limit.name}";q=${limit.limit};w=${windowSeconds(limit)}`)
    .join(", ")
  headers["ratelimit"] = counted
    .map(({ limit, remaining, resetsAt }) => `"${limit.name}";r=${remaining};t=${secondsUntil(resetsAt)}`)
    .join(", ")
  if (admitted) return
  const full = counted.filter(({ remaining }) => remaining === 0)
  return yield* new RateLimited({
    reason: "rate_limited",
    issues: full.map(({ limit, resetsAt }) => ({
      path: "",
      code: limit.name,
      message: `${describeLimit(limit)}; the next one is let in after ${secondsUntil(resetsAt)} s`
    })),
    retryAfterSeconds: secondsUntil(Math.max(...full.map(({ resetsAt }) => resetsAt)))
  })
})

const describeLimit = ({ limit, per, window }: RateLimit): string => {
  const span = window.kind === "sliding" ? `any ${window.seconds} s` : "a UTC day"
  return `At most ${limit} of these requests in ${span} per ${per}`
}

const windowSeconds = (limit: RateLimit): number =>
  limit.window.kind === "sliding" ? limit.window.seconds : dayMillis / 1000

const quotaOf = (name: string, { name: policy, per, limit, window }: RateLimit, caller: Caller): Quota => ({
  bucket: `${name}/${policy}/${per === "key" ? caller.key_hash : caller.account_id}`,
  limit,
  window: window.kind === "sliding" ? { kind: "sliding", millis: window.seconds * 1000 } : window
})

interface Denial {
  readonly counted: CountedRequest
  /** When the store was asked, by the clock of this process: before the store decided. */
  readonly askedAt: number
  /** When each quota that is used up has room again, by the store's clock. */
  readonly until: number
}

/** Denials that an instance remembers; the oldest goes. */
const mostDenials = 10_000

/**
 * Refuses what the store has refused until it can be let in, without asking again: counts of a window only grow, so nobody can make room
 * sooner. The time that passes is taken from when the store was asked, so no request is refused that the store would let in.
 */
export const rememberingDenials = (counts: typeof RequestCounts.Service): typeof RequestCounts.Service => {
  const denials = new Map<string, Denial>()
  const known = (asked: string, now: number): CountedRequest | undefined => {
    const denial = denials.get(asked)
    if (denial === undefined) return undefined
    const passed = now - denial.askedAt
    const at = denial.counted.now + passed
    if (passed >= 0 && at < denial.until) return { ...denial.counted, now: at }
    denials.delete(asked)
    return undefined
  }
  const keep = (asked: string, askedAt: number, counted: CountedRequest): void => {
    const full = counted.states.filter(({ remaining }) => remaining === 0)
    const [oldest] = denials.keys()
    if (denials.size >= mostDenials && oldest !== undefined) denials.delete(oldest)
    denials.set(asked, { counted, askedAt, until: Math.max(...full.map(({ resetsAt }) => resetsAt)) })
  }
  return RequestCounts.of({
    consume: Effect.fnUntraced(function* (quotas) {
      const asked = JSON.stringify(quotas)
      const askedAt = yield* Clock.currentTimeMillis
      const denied = known(asked, askedAt)
      if (denied !== undefined) return denied
      const counted = yield* counts.consume(quotas)
      // A transaction of the host may undo what it counted.
      if (!counted.admitted && (yield* Uncommitted) === undefined) keep(asked, askedAt, counted)
      return counted
    })
  })
}
