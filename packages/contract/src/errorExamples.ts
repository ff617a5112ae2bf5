/**
 * Real error answers for the documentation: at least one for each error status. A test provokes them and compares.
 *
 * Rule: errors#messages.
 */
import { type ErrorEnvelope, errorMessages, type ErrorStatus, type Issue } from "./error.ts"
import type { ReasonOf } from "./reasons.ts"
import { type ScimError, scimErrorOf } from "./scim/scim.ts"
import { type OAuthError, oauthErrorOf } from "./tokenExchange.ts"

const request_id = "838527f8-b40b-4fa9-81fd-9bf08e0c8a64"

/** `docs`: the address of the pages on reasons, relative to that of the request. */
const refused = <S extends ErrorStatus>(
  status: S,
  reason: ReasonOf<S>,
  issues: readonly Issue[] = [],
  docs = "errors/"
): ErrorEnvelope => ({
  error: {
    code: status,
    message: errorMessages[status],
    metadata: { request_id, reason, doc_url: docs + reason, issues: [...issues] }
  }
})

const issue = (path: string, code: string, message: string): Issue => ({ path, code, message })

const nothing = (kind: string): Issue =>
  issue(
    "path.id",
    "not_found",
    `This key sees no ${kind} with this id: it does not exist, was deleted, or is another account's`
  )

const bearer = "Expected one header `Authorization: Bearer <key>`"

const letIn = (reason: ReasonOf<401>, path: string, message: string) =>
  refused(401, reason, [issue(path, reason, message)])

/** By status, then by a name for the example. */
export const errorExamples: Readonly<Record<ErrorStatus, Readonly<Record<string, ErrorEnvelope>>>> = {
  400: {
    "a limit without its interval": refused(400, "limit_reset_pair", [
      issue(
        "reset_interval",
        "limit_reset_pair",
        "limit_usd and reset_interval are sent together or not at all; a limit that never resets has a reset_interval of null"
      )
    ]),
    "a body that is no JSON": refused(400, "invalid_json", [
      issue("", "invalid_json", "Not valid JSON: unexpected end at position 1")
    ])
  },
  401: {
    "no key": letIn("missing_authentication", "header.authorization", `No Authorization header was sent. ${bearer}`),
    "a key in another header": letIn(
      "misplaced_api_key",
      "header.x-api-key",
      `A key in x-api-key is not read. ${bearer}`
    ),
    "a header that is not Bearer": letIn(
      "malformed_authentication",
      "header.authorization",
      `The scheme is not Bearer. ${bearer}`
    ),
    "a key that was cut": letIn(
      "malformed_api_key",
      "header.authorization",
      "The key is damaged: its checksum is wrong. Copy the whole key again, without quotes or line breaks"
    ),
    "a key that nobody made": letIn(
      "invalid_api_key",
      "header.authorization",
      "This server has no such key. The keys that it makes start with gwm-v1-, gwg-v1-, gw-v1-"
    ),
    "a disabled key": letIn(
      "disabled_api_key",
      "header.authorization",
      "The key is disabled. A management key can enable it: PATCH /keys/{hash}"
    ),
    "a key that was revoked": letIn(
      "revoked_api_key",
      "header.authorization",
      "The key was deleted, alone or with its workspace. Use another key"
    ),
    "a key of a suspended account": letIn(
      "account_suspended",
      "header.authorization",
      "The account of the key is suspended. Ask the operator of this server to resume it"
    )
  },
  402: {
    "what a data plane answers when a key's limit is used up": {
      error: {
        code: 402,
        message:
          "Key limit of $0.01 exceeded. This request reserves $0.0102 (4,096 output tokens are assumed, because it sends no max_tokens); $0.01 of the limit is left. Send max_tokens, or raise the limit.",
        metadata: {
          request_id,
          reason: "key_limit_exceeded",
          doc_url: "errors/key_limit_exceeded",
          issues: []
        }
      }
    }
  },
  403: { "a key that may not manage": refused(403, "management_key_required") },
  404: {
    "a resource that does not exist for this key": refused(404, "not_found", [nothing("workspace")]),
    "a path without an operation": refused(404, "unknown_path")
  },
  405: { "another method than the path has; see Allow": refused(405, "method_not_allowed") },
  408: { "a query that ran too long": refused(408, "analytics_timeout") },
  409: { "a live code with the same challenge": refused(409, "authorization_code_exists") },
  410: { "an operation that the public API has removed": refused(410, "removed_operation") },
  413: { "a body over the limit": refused(413, "payload_too_large") },
  415: { "a body that is not JSON": refused(415, "unsupported_media_type") },
  429: {
    "the 31st request of a minute; see Retry-After": refused(429, "rate_limited", [
      issue("", "minute", "At most 30 of these requests in any 60 s per key; the next one is let in after 42 s")
    ])
  },
  500: {
    "the database does not answer": refused(500, "store_unavailable"),
    "a change that may have been made: read before you repeat": refused(500, "outcome_unknown")
  },
  502: { "the upstream provider failed": refused(502, "provider_failed") },
  503: { "a server that shuts down; see Retry-After": refused(503, "draining") }
}

const scimRefused = <S extends ErrorStatus>(status: S, reason: ReasonOf<S>, issues: readonly Issue[] = []) =>
  scimErrorOf(refused(status, reason, issues, "../../errors/"))

/** The same of operations whose errors have the form of SCIM. */
export const scimErrorExamples: Partial<Record<ErrorStatus, Readonly<Record<string, ScimError | ErrorEnvelope>>>> = {
  400: {
    "a filter that breaks the grammar": scimRefused(400, "invalid_filter", [
      issue("query.filter", "invalid_filter", "Expected an operator at character 10")
    ])
  },
  401: {
    "no key": scimRefused(401, "missing_authentication", [
      issue("header.authorization", "missing_authentication", `No Authorization header was sent. ${bearer}`)
    ])
  },
  403: { "a key that may not manage": scimRefused(403, "management_key_required") },
  404: { "a resource that the directory has not provisioned": scimRefused(404, "not_found", [nothing("user")]) },
  409: {
    "a name that another user of the directory has": scimRefused(409, "directory_name_taken", [
      issue("userName", "directory_name_taken", "Another one in the directory has this name")
    ])
  },
  500: { "the database does not answer": scimRefused(500, "store_unavailable") }
}

const oauthRefused = <S extends ErrorStatus>(status: S, reason: ReasonOf<S>, issues: readonly Issue[] = []) =>
  oauthErrorOf({ status, reason, issues }, "../errors/")

/** The same of operations whose errors have the form of OAuth. */
export const oauthErrorExamples: Partial<Record<ErrorStatus, Readonly<Record<string, OAuthError>>>> = {
  400: {
    "another grant than a token exchange": oauthRefused(400, "unsupported_grant_type", [
      issue("grant_type", "unsupported_grant_type", "Expected urn:ietf:params:oauth:grant-type:token-exchange")
    ]),
    "a token that the policy does not accept": oauthRefused(400, "invalid_grant")
  },
  429: { "too many keys in a minute; see Retry-After": oauthRefused(429, "rate_limited") },
  500: { "the database does not answer": oauthRefused(500, "store_unavailable") },
  503: { "an issuer that does not answer; see Retry-After": oauthRefused(503, "issuer_unavailable") }
}
