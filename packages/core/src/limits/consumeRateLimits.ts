/**
 * Counts a request against the limits of its operation, and says how much is left.
 *
 * Source: decisions 9 and 11: every authenticated request counts but those answered 429, which carry `Retry-After`; all
 * carry `RateLimit-Policy` and `RateLimit`.
 */
import type { OperationShape } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { RateLimited } from "../failure.ts"
import { type RateLimit, rateLimitTable } from "./rateLimitTable.ts"
import { type Quota, RateLimits } from "./RateLimits.ts"

const dayMillis = 86_400_000

export const consumeRateLimits = Effect.fnUntraced(function* (
  operation: OperationShape,
  caller: Caller,
  headers: Record<string, string>
) {
  const named = operation.rateLimits ?? []
  if (named.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const rows = named.flatMap((name) => (rateLimitTable[name] ?? []).map((limit) => ({ name, limit })))
  const store = yield* RateLimits
  const { admitted, states } = yield* store.consume(
    rows.map(({ name, limit }) => quotaOf(name, limit, caller, now)),
    now
  )
  const secondsUntil = (millis: number) => Math.max(1, Math.ceil((millis - now) / 1000))
  headers["ratelimit-policy"] = rows
    .map(({ limit }) => `"${limit.name}";q=${limit.limit};w=${windowSeconds(limit)}`)
    .join(", ")
  headers["ratelimit"] = rows
    .map(
      ({ limit }, index) =>
        `"${limit.name}";r=${states[index]?.remaining ?? 0};t=${secondsUntil(states[index]?.resetsAt ?? now)}`
    )
    .join(", ")
  if (admitted) return
  const full = states.filter((state) => state.remaining === 0).map((state) => state.resetsAt)
  return yield* new RateLimited({ reason: "rate_limited", retryAfterSeconds: secondsUntil(Math.max(...full)) })
})

const windowSeconds = (limit: RateLimit): number =>
  limit.window.kind === "sliding" ? limit.window.seconds : dayMillis / 1000

const quotaOf = (name: string, limit: RateLimit, caller: Caller, now: number): Quota => {
  const entity = limit.per === "key" ? caller.key_hash : caller.account_id
  const bucket = `${name}/${limit.name}/${entity}`
  if (limit.window.kind === "sliding") {
    const span = limit.window.seconds * 1000
    return { bucket, limit: limit.limit, kind: "sliding", since: now - span, resetsAt: now + span }
  }
  const midnight = now - (now % dayMillis)
  return { bucket, limit: limit.limit, kind: "fixed", since: midnight, resetsAt: midnight + dayMillis }
}
