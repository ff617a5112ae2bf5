/**
 * Whether the claims of a verified token meet a policy, and until when a key for it may live.
 *
 * Rule: authorization#token-exchange. Issuer, audience and signature are judged before (`verifySubjectToken`).
 */
import { codePoints, type FederationPolicy } from "@gatewarden/contract"
import { isOpenToAll } from "./checkPolicy.ts"
import { matchesPattern } from "./matchesPattern.ts"

/** Clocks of an issuer and of this process may differ by this much. */
export const toleranceSeconds = 60

/** A token that lives longer would have to be remembered as long, so that it is used once. */
const maxTokenSeconds = 86_400

const maxSubjectLength = 256

export type Claims = Readonly<Record<string, unknown>>

export type ClaimsVerdict =
  | { readonly accepted: true; readonly subject: string; readonly key_ends_at: number; readonly token_ends_at: number }
  | { readonly accepted: false; readonly problem: string }

const refused = (problem: string): ClaimsVerdict => ({ accepted: false, problem })

/** No store keeps U+0000 or half of a surrogate pair. */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

const textsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).flatMap((value) =>
    typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? [String(value)] : []
  )

const isTime = (claim: unknown): claim is number => typeof claim === "number" && Number.isFinite(claim)

/** `now`, and the ends: epoch milliseconds. */
export const judgeClaims = (
  policy: Pick<FederationPolicy, "subject" | "claims" | "lifetime_seconds">,
  claims: Claims,
  now: number
): ClaimsVerdict => {
  const seconds = now / 1000
  const { exp, nbf, iat, sub } = claims
  if (!isTime(exp)) return refused("The token has no expiry")
  if (Math.floor(exp - seconds) < 1) return refused("The token is expired")
  if (exp - seconds > maxTokenSeconds) return refused("The token lives longer than a day")
  if (nbf !== undefined && !(isTime(nbf) && nbf <= seconds + toleranceSeconds))
    return refused("The token is not valid yet")
  if (iat !== undefined && !(isTime(iat) && iat <= seconds + toleranceSeconds))
    return refused("The token was issued in the future")
  if (typeof sub !== "string" || sub === "" || codePoints(sub) > maxSubjectLength || !isStorable(sub))
    return refused(`The token has no subject of 1 to ${maxSubjectLength} characters`)
  const meets =
    !isOpenToAll(policy) &&
    matchesPattern(policy.subject, sub) &&
    (policy.claims ?? []).every(
      ({ claim, pattern }) =>
        Object.hasOwn(claims, claim) && textsOf(claims[claim]).some((text) => matchesPattern(pattern, text))
    )
  if (!meets) return refused("Subject or claims of the token do not meet the policy")
  const token_ends_at = exp * 1000
  return {
    accepted: true,
    subject: sub,
    key_ends_at: Math.min(token_ends_at, now + policy.lifetime_seconds * 1000),
    token_ends_at
  }
}
