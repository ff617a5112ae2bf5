import type { FederationPolicy } from "@gatewarden/contract"
import { Clock, Effect, Option, Redacted } from "effect"
import { isDeprovisioned } from "../access/liveKeys.ts"
import { RateLimited } from "../value/failure.ts"
import { newApiKey } from "../key/key.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { RequestCounts } from "../ports/limits.ts"
import { Digest } from "../platform/Digest.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/calendar.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"
import { type Claims, isAddressed, keyTermsOf, meetsPolicy, problemOfToken } from "./judgeClaims.ts"
import { VerificationSlots } from "./VerificationSlots.ts"
import { readClaims, refusedToken, verifySubjectToken } from "./verifySubjectToken.ts"

/** Accepted tokens of one policy. Refused ones do not count, or anybody could use up what a policy may. */
export const exchangesPerMinute = 300

/** What a workload presents. */
export interface Presented {
  readonly subject_token: Redacted.Redacted<string>
  readonly federation_policy_id: string
}

/**
 * Rule: authorization#token-exchange. What is wrong with a token is found as cheaply as possible: from the token alone, then from the
 * policy, and only then from its signature, because anybody may send any number of them.
 */
export const exchangeToken = operation("exchangeToken")(function* ({ subject_token, federation_policy_id }: Presented) {
  const policies = yield* FederationPolicies
  const now = yield* Clock.currentTimeMillis
  const unverified = readClaims(subject_token)
  if (unverified === undefined) return yield* refusedToken()
  const problem = problemOfToken(unverified, now)
  if (problem !== undefined) return yield* refusedToken(problem)
  const found = yield* policies.named(federation_policy_id)
  if (Option.isNone(found) || found.value.policy.disabled) return yield* refusedToken()
  const { account_id, policy } = found.value
  if (!isAddressed(policy, unverified)) return yield* refusedToken()
  const slots = yield* VerificationSlots
  const inTurn = slots.verifying(account_id, policy.id)
  const verification = verifySubjectToken(account_id, subject_token, policy, inTurn)
  if (!meetsPolicy(policy, unverified)) {
    // Only a holder of a token of the issuer may learn that the policy names another subject or claim.
    const verified = yield* slots.explaining(account_id, policy.id, now)(verification)
    return yield* refusedToken(verified && "Subject or claims of the token do not meet the policy")
  }
  const claims = yield* slots.waiting(account_id, policy.id)(verification)
  if (yield* isDeprovisioned(account_id, policy.user_id)) return yield* refusedToken()
  const terms = keyTermsOf(policy, claims, now)
  yield* countExchange(policy.id)
  yield* requireQuota("keys_per_account", { account_id })
  const { key, record } = yield* newApiKey({
    kind: "normal",
    account_id,
    workspace_id: policy.workspace_id,
    user_id: policy.user_id,
    creator_user_id: policy.user_id,
    issued_by: "exchange",
    external_user: terms.subject,
    name: policy.name,
    limit: policy.limit,
    expires_at: formatInstant(terms.key_ends_at)
  })
  const outcome = yield* policies.issue(record, {
    policy_id: policy.id,
    use_id: policy.allow_reuse ? record.hash : yield* useOf(subject_token, policy, claims),
    ends_at: formatInstant(policy.allow_reuse ? terms.key_ends_at : terms.use_ends_at)
  })
  if (outcome === "used") return yield* refusedToken("The token was used before")
  if (outcome === "missing") return yield* refusedToken()
  return { key, expires_in: Math.floor((terms.key_ends_at - now) / 1000) }
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
