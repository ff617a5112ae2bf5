import type { FederationPolicy } from "@gatewarden/contract"
import { Clock, Effect, Option, Redacted } from "effect"
import { isDeprovisioned } from "../directory/isDeprovisioned.ts"
import { RateLimited } from "../failure.ts"
import { newApiKey } from "../key/newApiKey.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { RequestCounts } from "../limits/RequestCounts.ts"
import { Digest } from "../platform/Digest.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/timestamp.ts"
import { RefusedExchanges } from "./RefusedExchanges.ts"
import { FederationPolicies } from "./FederationPolicies.ts"
import { type Claims, judgeClaims } from "./judgeClaims.ts"
import { refusedToken, verifySubjectToken } from "./verifySubjectToken.ts"

/** Accepted tokens, of one policy. Refused ones count by themselves (`RefusedExchanges`), or few could use up what a policy may. */
export const exchangesPerMinute = 300

/** What a workload presents. */
export interface Presented {
  readonly subject_token: Redacted.Redacted<string>
  readonly federation_policy_id: string
}

/** Rule: authorization#token-exchange. */
export const exchangeToken = operation("exchangeToken")(function* ({ subject_token, federation_policy_id }: Presented) {
  const policies = yield* FederationPolicies
  const found = yield* policies.named(federation_policy_id)
  if (Option.isNone(found) || found.value.policy.disabled) return yield* refusedToken()
  const { account_id, policy } = found.value
  const now = yield* Clock.currentTimeMillis
  const refusals = yield* RefusedExchanges
  if (!refusals.has(policy.id, now)) return yield* new RateLimited({ reason: "rate_limited", retryAfterSeconds: 1 })
  const { claims, verdict } = yield* Effect.gen(function* () {
    const claims = yield* verifySubjectToken(account_id, subject_token, policy)
    const verdict = judgeClaims(policy, claims, now)
    if (!verdict.accepted) return yield* refusedToken(verdict.problem)
    if (yield* isDeprovisioned(account_id, policy.user_id)) return yield* refusedToken()
    return { claims, verdict }
  }).pipe(Effect.tapError(() => Effect.sync(() => refusals.take(policy.id, now))))
  yield* countExchange(policy.id)
  yield* requireRoom("keys_per_account", { account_id })
  const { key, record } = yield* newApiKey({
    kind: "normal",
    account_id,
    workspace_id: policy.workspace_id,
    user_id: policy.user_id,
    creator_user_id: policy.user_id,
    external_user: verdict.subject,
    name: policy.name,
    limit: policy.limit,
    expires_at: formatInstant(verdict.key_ends_at)
  })
  const outcome = yield* policies.issue(record, {
    policy_id: policy.id,
    use_id: policy.allow_reuse ? record.hash : yield* useOf(subject_token, policy, claims),
    ends_at: formatInstant(policy.allow_reuse ? verdict.key_ends_at : verdict.token_ends_at)
  })
  if (outcome === "used") return yield* refusedToken("The token was used before")
  if (outcome === "missing") return yield* refusedToken()
  return { key, expires_in: Math.floor((verdict.key_ends_at - now) / 1000) }
})

/** Names a token by its id, else by what is signed: whatever else of a token is changed, it is the same token. */
const useOf = Effect.fnUntraced(function* (
  subject_token: Redacted.Redacted<string>,
  { issuer }: Pick<FederationPolicy, "issuer">,
  { jti }: Claims
) {
  const token = Redacted.value(subject_token)
  const identity =
    typeof jti === "string" && jti !== ""
      ? ["id", issuer, jti]
      : ["token", issuer, token.slice(0, token.lastIndexOf("."))]
  return yield* (yield* Digest).sha256Hex(JSON.stringify(identity))
})

const countExchange = Effect.fnUntraced(function* (policy_id: string) {
  const { admitted, states, now } = yield* (yield* RequestCounts).consume([
    { bucket: exchangesOf(policy_id), limit: exchangesPerMinute, window: { kind: "sliding", millis: 60_000 } }
  ])
  if (!admitted)
    return yield* new RateLimited({
      reason: "rate_limited",
      retryAfterSeconds: Math.max(1, Math.ceil(((states[0]?.resetsAt ?? now) - now) / 1000))
    })
})

export const exchangesOf = (policy_id: string): string => `tokenExchange/${policy_id}`
