/**
 * Whether the claims of a token meet a policy, and until when a key for it may live.
 *
 * Rule: authorization#token-exchange. Claims are judged before the signature is verified, because reading them costs almost nothing.
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

/** No store keeps U+0000 or half of a surrogate pair. */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

const textsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).flatMap((value) =>
    typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? [String(value)] : []
  )

const isSubject = (claim: unknown): claim is string =>
  typeof claim === "string" && claim !== "" && codePoints(claim) <= maxSubjectLength && isStorable(claim)

const isTime = (claim: unknown): claim is number => typeof claim === "number" && Number.isFinite(claim)

/** What is wrong with a token under every policy, undefined if nothing is. `now`: epoch milliseconds. */
export const problemOfToken = ({ exp, nbf, iat, sub }: Claims, now: number): string | undefined => {
  const seconds = now / 1000
  if (!isTime(exp)) return "The token has no expiry"
  if (Math.floor(exp - seconds) < 1) return "The token is expired"
  if (exp - seconds > maxTokenSeconds) return "The token lives longer than a day"
  if (nbf !== undefined && !(isTime(nbf) && nbf <= seconds + toleranceSeconds)) return "The token is not valid yet"
  if (iat !== undefined && !(isTime(iat) && iat <= seconds + toleranceSeconds))
    return "The token was issued in the future"
  return isSubject(sub) ? undefined : `The token has no subject of 1 to ${maxSubjectLength} characters`
}

/** Whether a token says that it was made by the issuer of a policy for its audience. */
export const isAddressed = (
  { issuer, audience }: Pick<FederationPolicy, "issuer" | "audience">,
  { iss, aud }: Claims
): boolean => iss === issuer && (Array.isArray(aud) ? aud.includes(audience) : aud === audience)

/** Whether the subject and the claims of a token are what a policy names. */
export const meetsPolicy = (policy: Pick<FederationPolicy, "subject" | "claims">, claims: Claims): boolean =>
  !isOpenToAll(policy) &&
  isSubject(claims["sub"]) &&
  matchesPattern(policy.subject, claims["sub"]) &&
  (policy.claims ?? []).every(
    ({ claim, pattern }) =>
      Object.hasOwn(claims, claim) && textsOf(claims[claim]).some((text) => matchesPattern(pattern, text))
  )

/** What a key takes from a token that was verified and is accepted. Times: epoch milliseconds. */
export const keyTermsOf = (
  { lifetime_seconds }: Pick<FederationPolicy, "lifetime_seconds">,
  claims: Claims,
  now: number
) => {
  const token_ends_at = Number(claims["exp"]) * 1000
  return {
    subject: String(claims["sub"]),
    key_ends_at: Math.min(token_ends_at, now + lifetime_seconds * 1000),
    token_ends_at
  }
}
