/**
 * Whether the claims of a token meet a policy, and until when a key for it may live.
 *
 * Rule: authorization#token-exchange. Claims are judged before the signature is verified, because reading them costs almost nothing.
 */
import { type FederationPolicy, codePoints } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { acceptsCallbackUrl } from "../authorization/callbackUrl.ts"
import { invalid } from "../value/failure.ts"

/**
 * Whether a text is what a pattern says: `*` stands for any text, everything else for itself.
 *
 * Rule: authorization#federation-policies. Each part is searched once from where the part before ended, so the time grows with the length
 * of the text, whatever the pattern is.
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return text === pattern
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let from = head.length
  for (const part of rest) {
    const found = text.indexOf(part, from)
    if (found === -1 || found + part.length > end) return false
    from = found + part.length
  }
  return true
}

/** Whether a pattern lets any text pass. */
export const matchesAnything = (pattern: string): boolean => /^\*+$/.test(pattern)

type Trusted = Pick<FederationPolicy, "issuer" | "jwks_uri" | "subject" | "claims">

/**
 * Claims of the registry that tell no workload of an issuer from another: each token has the policy's issuer and audience, often one that
 * its holder chose, and times and ids are of the token alone. Source: RFC 7519 4.1.
 */
const ofEveryToken: readonly string[] = ["iss", "aud", "exp", "nbf", "iat", "jti"]

/** Whether a policy lets everybody pass who has an account at the issuer. */
export const isOpenToAll = ({ subject, claims }: Pick<Trusted, "subject" | "claims">): boolean =>
  matchesAnything(subject) &&
  (claims ?? []).every(({ claim, pattern }) => ofEveryToken.includes(claim) || matchesAnything(pattern))

/** What the contract's schema cannot see of a policy. Rule: authorization#federation-policies. */
export const checkPolicy = Effect.fnUntraced(function* (policy: Trusted) {
  // What every parser reads alike, as for callback URLs.
  if (!acceptsCallbackUrl(policy.issuer) || policy.issuer.includes("?"))
    return yield* invalid(
      "invalid_request",
      "issuer",
      "Expected an https URL, or an http URL of localhost or 127.0.0.1, without query and fragment"
    )
  if (policy.jwks_uri !== null && !acceptsCallbackUrl(policy.jwks_uri))
    return yield* invalid(
      "invalid_request",
      "jwks_uri",
      "Expected an https URL, or an http URL of localhost or 127.0.0.1, without fragment"
    )
  if (isOpenToAll(policy))
    return yield* invalid(
      "invalid_request",
      "subject",
      "Every token of the issuer meets this policy. Name a part of the subject, or a claim by which the issuer tells its workloads apart, with a pattern other than *. iss, aud, exp, nbf, iat and jti tell none apart"
    )
})

/** Clocks of an issuer and of this process may differ by this much. */
export const toleranceSeconds = 60

/** A token that lives longer would have to be remembered as long, so that it is used once. */
const maxTokenSeconds = 86_400

/**
 * How long the note that a token was used is kept after the token has expired, so that a server whose clock is behind the database's, which
 * still takes the token for valid, refuses it as used. Longer than clocks may differ: `doctor` fails at a minute.
 */
export const useOutlivesTokenMillis = 3_600_000

const maxSubjectLength = 256

export type Claims = Readonly<Record<string, unknown>>

/** No store keeps U+0000 or half of a surrogate pair. */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

/** Of numbers only integers up to 2^53 - 1: others may have been rounded to the number of another workload. */
const textsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).flatMap((value) =>
    typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value) ? [String(value)] : []
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
    use_ends_at: token_ends_at + useOutlivesTokenMillis
  }
}
