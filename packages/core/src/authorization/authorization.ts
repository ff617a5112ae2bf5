/** The rules of authorization codes: what a challenge is, and what becomes of a code that is presented. */
import type { ChallengeMethod } from "@gatewarden/contract/internal"
import type { KeptGrant } from "../ports/authorizationCodes.ts"
import { base64url } from "../value/text.ts"

/**
 * Proof Key for Code Exchange: the format of challenges, and the check of a verifier.
 *
 * Rule: authorization#code-challenges. Source: RFC 7636 4.1, 4.2 and 4.6.
 *
 * 43 base64url characters without padding: the length of an encoded SHA-256.
 */
export const isS256Challenge = (challenge: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(challenge)

/** A plain challenge is the verifier itself: 43 to 128 unreserved characters (RFC 7636 4.1). */
export const isPlainChallenge = (challenge: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(challenge)

/**
 * The challenge that belongs to a verifier, given the SHA-256 of its bytes. Undefined for a verifier that violates RFC 7636 4.1, so that a
 * short, guessable one is refused even if its hash matches.
 */
export const challengeOf = (method: ChallengeMethod, verifier: string, sha256: Uint8Array): string | undefined => {
  if (!isPlainChallenge(verifier)) return undefined
  return method === "S256" ? base64url(sha256) : verifier
}

/** How the presented verifier relates to the challenge; `unexpected` when the grant has no challenge. */
export type Proof = "none" | "right" | "wrong" | "unexpected"

export interface Presentation {
  readonly proof: Proof
  readonly method: ChallengeMethod | null
}

type Judged = Pick<KeptGrant, "challenge_hash" | "code_challenge_method" | "expires_at" | "spent_at">

/**
 * `accept`: the code may be spent. `burn`: somebody has the code without the verifier, so the code is invalidated. `revoke`: a code was
 * presented again long after its exchange, so its key is revoked. `refuse`: nothing changes. All but the first get the same answer.
 */
export type Verdict = "accept" | "burn" | "revoke" | "refuse"

/** Within this time a second presentation counts as a retry. */
const retryMillis = 30_000

/**
 * The verdict on a presented code.
 *
 * Rule: authorization#exchange. Source: RFC 7636 4.6; RFC 9700 2.1.1 (a verifier without a challenge is a downgrade).
 */
export const exchangeVerdict = (grant: Judged, presented: Presentation, now: number): Verdict => {
  if (grant.spent_at !== null) return now - Date.parse(grant.spent_at) > retryMillis ? "revoke" : "refuse"
  if (now >= Date.parse(grant.expires_at)) return "refuse"
  const challenged = grant.challenge_hash !== null
  if (challenged && presented.proof !== "right") return "burn"
  if (!challenged && presented.proof !== "none") return "refuse"
  return presented.method === null || presented.method === grant.code_challenge_method ? "accept" : "refuse"
}
