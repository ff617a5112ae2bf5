/** Reasons of errors about authorization codes and tokens of workloads. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const authorizationReasons = {
  invalid_callback_url: {
    statuses: [400],
    means: "The callback_url is not an accepted https or loopback address.",
    remedy: "Send an https URL, or http with the host localhost or 127.0.0.1."
  },
  invalid_code_challenge: {
    statuses: [400],
    means: "The code_challenge does not have the form that its method requires.",
    remedy: "Send 43 characters of base64url with S256, or 43 to 128 unreserved characters with plain."
  },
  invalid_authorization_code: {
    statuses: [403],
    means: "The code is unknown, used or expired, or the verifier does not match its challenge.",
    remedy: "Start the authorization again. A code works once, for 10 minutes; a wrong verifier invalidates it."
  },
  authorization_code_exists: {
    statuses: [409],
    means: "A live code with the same challenge and callback origin exists.",
    remedy: "Use a new challenge, or wait until the live code has expired."
  },
  invalid_grant: {
    statuses: [400],
    means:
      "The subject token is not accepted under this federation policy: the policy is unknown or disabled, or the token is not the issuer's, is expired, was used before, or does not meet the policy.",
    remedy: "Compare issuer, audience, subject and claims of the token with the policy, and request a new token."
  },
  unsupported_grant_type: {
    statuses: [400],
    means: "The grant_type is not that of a token exchange.",
    remedy: "Send grant_type urn:ietf:params:oauth:grant-type:token-exchange."
  },
  invalid_scope: {
    statuses: [400],
    means: "The scope is not `inference`, the only one that there is.",
    remedy: "Leave scope out, or send inference."
  },
  issuer_unavailable: {
    statuses: [503],
    means: "The issuer of the subject token does not answer with its keys.",
    remedy:
      "Retry after the seconds of Retry-After; if it persists, check the issuer and the jwks_uri of the federation policy."
  }
} as const satisfies ReasonTable
