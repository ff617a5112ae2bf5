/** What the contract's schema cannot see of a policy. Rule: authorization#federation-policies. */
import type { FederationPolicy } from "@gatewarden/contract"
import { Effect } from "effect"
import { acceptsCallbackUrl } from "../platform/callbackUrl.ts"
import { invalid } from "../value/failure.ts"
import { matchesAnything } from "./matchesPattern.ts"

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
