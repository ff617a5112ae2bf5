/**
 * The verdict on a presented code.
 *
 * Rule: authorization#exchange. Source: RFC 7636 4.6; RFC 9700 2.1.1 (a verifier without a challenge is a downgrade).
 */
import type { ChallengeMethod } from "@gatewarden/contract"
import type { KeptGrant } from "../ports/authorizationCodes.ts"

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

export const exchangeVerdict = (grant: Judged, presented: Presentation, now: number): Verdict => {
  if (grant.spent_at !== null) return now - Date.parse(grant.spent_at) > retryMillis ? "revoke" : "refuse"
  if (now >= Date.parse(grant.expires_at)) return "refuse"
  const challenged = grant.challenge_hash !== null
  if (challenged && presented.proof !== "right") return "burn"
  if (!challenged && presented.proof !== "none") return "refuse"
  return presented.method === null || presented.method === grant.code_challenge_method ? "accept" : "refuse"
}
