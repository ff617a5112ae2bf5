/**
 * Proof Key for Code Exchange: the form of a challenge, and whether a verifier answers it.
 *
 * Source: RFC 7636 4.1, 4.2 and 4.6; decisions 7.
 */

export type ChallengeMethod = "S256" | "plain"

/** 43 base64url characters without padding: the length of an encoded SHA-256. */
export const isS256Challenge = (challenge: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(challenge)

/** A plain challenge is the verifier itself: 43 to 128 unreserved characters (RFC 7636 4.1). */
export const isPlainChallenge = (challenge: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(challenge)

/**
 * Whether `verifier` answers `challenge`. A verifier that breaks RFC 7636 4.1 answers none, so a short, guessable one does not
 * pass by hashing to the challenge. Time does not depend on how much of a challenge is right.
 */
export const verifierMatches = (
  method: ChallengeMethod,
  challenge: string,
  verifier: string,
  sha256: (bytes: Uint8Array) => Uint8Array
): boolean => {
  if (!isPlainChallenge(verifier)) return false
  const answer = method === "S256" ? base64url(sha256(new TextEncoder().encode(verifier))) : verifier
  return equalInConstantTime(answer, challenge)
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** Lengths are no secret; which characters agree is. */
const equalInConstantTime = (one: string, other: string): boolean => {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
