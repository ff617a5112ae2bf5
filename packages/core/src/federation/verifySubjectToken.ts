/**
 * Reads a subject token, and verifies its signature with the keys of its issuer.
 *
 * Rule: authorization#token-exchange. The one place that verifies tokens of others, and one of three that import `jose`
 * (docs/decisions/0008-tokens.md). Whatever fails, the token is refused.
 */
import type { FederationPolicy } from "@gatewarden/contract"
import { Clock, Effect, Redacted } from "effect"
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTVerifyGetKey } from "jose"
import { invalid } from "../value/failure.ts"
import { IssuerKeys } from "./IssuerKeys.ts"
import { type Claims, toleranceSeconds } from "./judgeClaims.ts"

/** Asymmetric ones: with a shared secret, or none, anybody who can verify can sign. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]

/** One answer whatever is wrong, so that it tells nothing of the policy to those who cannot sign. */
export const refusedToken = (problem = "The token is not valid under this federation policy") =>
  invalid("invalid_grant", "subject_token", problem)

/**
 * The claims of a token as it has them, not verified: good enough to refuse it, never to accept it. Undefined for what no key of an
 * issuer can have signed.
 */
export const readClaims = (token: Redacted.Redacted<string>): Claims | undefined => {
  try {
    const { alg } = decodeProtectedHeader(Redacted.value(token))
    return alg !== undefined && algorithms.includes(alg) ? decodeJwt(Redacted.value(token)) : undefined
  } catch {
    return undefined
  }
}

/** `unknown_key`: the issuer's keys, as they are known, have none that the token names. */
const verify = Effect.fnUntraced(function* (
  token: Redacted.Redacted<string>,
  { issuer, audience }: Pick<FederationPolicy, "issuer" | "audience">,
  keys: JWTVerifyGetKey
) {
  const currentDate = new Date(yield* Clock.currentTimeMillis)
  return yield* Effect.promise(async (): Promise<Claims | "unknown_key" | "refused"> => {
    try {
      const verified = await jwtVerify(Redacted.value(token), keys, {
        algorithms,
        issuer,
        audience,
        currentDate,
        clockTolerance: toleranceSeconds,
        requiredClaims: ["exp", "sub"]
      })
      return verified.payload
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? "unknown_key" : "refused"
    }
  })
})

/** @param inTurn waits until the signature may be verified; it does not wait for the issuer's keys */
export const verifySubjectToken = Effect.fnUntraced(function* (
  account_id: string,
  token: Redacted.Redacted<string>,
  policy: Pick<FederationPolicy, "issuer" | "audience" | "jwks_uri">,
  inTurn: <A>(verification: Effect.Effect<A>) => Effect.Effect<A>
) {
  const issuerKeys = yield* IssuerKeys
  const verdict = yield* inTurn(verify(token, policy, yield* issuerKeys.of(account_id, policy)))
  if (verdict !== "unknown_key") return verdict === "refused" ? yield* refusedToken() : verdict
  // The issuer may have begun to sign with a new key.
  const renewed = yield* issuerKeys.renewed(account_id, policy)
  const again = renewed === undefined ? "refused" : yield* inTurn(verify(token, policy, renewed))
  return typeof again === "string" ? yield* refusedToken() : again
})
