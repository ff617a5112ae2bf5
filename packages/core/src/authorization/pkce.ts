/**
 * Proof Key for Code Exchange: the format of challenges, and the check of a verifier.
 *
 * Rule: authorization#code-challenges. Source: RFC 7636 4.1, 4.2 and 4.6.
 */
import type { ChallengeMethod } from "@gatewarden/contract"
import { base64url } from "../value/base64url.ts"

/** 43 base64url characters without padding: the length of an encoded SHA-256. */
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
