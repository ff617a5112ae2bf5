/** What the contract's schema cannot see of a policy. Rule: authorization#federation-policies. */
import type { FederationPolicy } from "@gatewarden/contract"
import { Effect } from "effect"
import { acceptsCallbackUrl } from "../authorization/callbackUrl.ts"
import { invalid } from "../failure.ts"
import { matchesAnything } from "./matchesPattern.ts"

type Trusted = Pick<FederationPolicy, "issuer" | "jwks_uri" | "subject" | "claims">

/** Whether a policy lets everybody pass who has an account at the issuer. */
export const isOpenToAll = ({ subject, claims }: Pick<Trusted, "subject" | "claims">): boolean =>
  matchesAnything(subject) && (claims ?? []).every(({ pattern }) => matchesAnything(pattern))

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
      "This lets every subject of the issuer pass: name a part of the subject, or a claim"
    )
})
