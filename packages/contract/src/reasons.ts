/** The one catalogue of reasons of errors. `npm run reference` writes `docs/reference/errors.md` from it. Rule: errors#reasons. */

import type { ErrorStatus } from "./error.ts"

/** Every value of `error.metadata.reason`: the statuses that it comes with, its meaning, and what the caller can do. A reason is never renamed. */
export const reasons = {
  invalid_request: {
    statuses: [400],
    means: "A field of the body, the query or the path breaks its rule; `issues` names each.",
    remedy: "Correct the fields that `issues` names."
  },
  invalid_json: {
    statuses: [400],
    means: "The body is not one JSON object in strict UTF-8.",
    remedy: "Send one JSON object in UTF-8; the issue names the position of the fault."
  },
  invalid_header: {
    statuses: [400],
    means: "A request header has a malformed value, or the request is not valid HTTP.",
    remedy: "Correct the header that the issue names."
  },
  invalid_idempotency_key: {
    statuses: [400],
    means: "The Idempotency-Key is not 1 to 255 visible ASCII characters.",
    remedy: "Send 1 to 255 visible ASCII characters, such as a UUID."
  },
  idempotency_key_reused: {
    statuses: [400],
    means: "The Idempotency-Key was used before, with another body or query.",
    remedy: "Use a new key for each distinct request."
  },
  unknown_workspace: {
    statuses: [400, 401, 404],
    means:
      "The account has no workspace with this id. The status depends on the request: 400 where it creates or lists something in the workspace, 404 where it reads or changes a file or a preset, 401 where the host named the workspace.",
    remedy: "List the workspaces of the account and send the id of one of them."
  },
  default_workspace_deleted: {
    statuses: [400],
    means: "The request names no workspace, and the account's default workspace was deleted.",
    remedy: "Send a workspace_id."
  },
  limit_reset_pair: {
    statuses: [400],
    means: "limit_usd and reset_interval must be sent together, or neither.",
    remedy: "Send both, or neither. For a limit that never resets send reset_interval null."
  },
  invalid_regex_pattern: {
    statuses: [400],
    means: "The pattern is not RE2 syntax, or its program is too large. RE2 runs in linear time.",
    remedy: "Rewrite the pattern in RE2 syntax, without look-around and back-references."
  },
  default_guardrail_name: {
    statuses: [400],
    means: "A default guardrail takes its name from its workspace; the name cannot be set.",
    remedy: "Leave name out of the request."
  },
  default_guardrail_kept: {
    statuses: [400],
    means: "The default guardrail of a workspace cannot be deleted.",
    remedy: "Clear its fields instead: PATCH them to null."
  },
  unknown_api_key_hash: {
    statuses: [400],
    means: "A hash in the request belongs to no active key of this account.",
    remedy: "List the keys of the account, and send the hash of an active one."
  },
  unknown_user: {
    statuses: [400],
    means: "No key and no membership of this account names this user.",
    remedy: "Create a key for the user, or add the user to a workspace, first."
  },
  api_key_unusable: {
    statuses: [400],
    means: "The key that the request proposes exists already, is too easy to guess, or its checksum is wrong.",
    remedy: "Propose another key, or leave it out; the server then generates one."
  },
  unknown_provider: {
    statuses: [400],
    means: "The installation knows no provider with this slug.",
    remedy: "Send the slug of a known provider, or ask the operator to add it."
  },
  byok_only_fallback: {
    statuses: [400],
    means: "is_byok_only and is_fallback cannot both be true.",
    remedy: "Set at most one of them to true."
  },
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
  unknown_metric: {
    statuses: [400],
    means: "The metric does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_dimension: {
    statuses: [400],
    means: "The dimension does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_classifier: {
    statuses: [400],
    means: "No recorded usage event of this account carries this classifier.",
    remedy: "Record a usage event with the classifier first, or correct the id."
  },
  invalid_time_range: {
    statuses: [400],
    means: "The end is not after the start, or one of them is malformed.",
    remedy: "Send a start before the end, both in UTC with seconds: 2026-01-31T00:00:00Z."
  },
  invalid_date_window: {
    statuses: [400],
    means: "A date is impossible, the end is before the start, or the dataset begins later.",
    remedy: "Send real dates from 2025-01-01 on, the start not after the end."
  },
  filter_combination: {
    statuses: [400],
    means: "The request combines filters or dimensions that exclude each other; the issue names the field.",
    remedy: "Send one of them, or the same one throughout."
  },
  period_unavailable: {
    statuses: [400],
    means: "Rankings by category or language_type have no daily period, because they are sampled.",
    remedy: "Send the period week or month, or leave category and language_type out."
  },
  conflicting_reasoning_effort: {
    statuses: [400],
    means: "reasoning_effort contradicts reasoning.effort.",
    remedy: "Send one of the two, or the same value in both."
  },
  invalid_preset_slug: {
    statuses: [400],
    means: "The slug of the preset is malformed.",
    remedy: "Use 1 to 128 letters, digits, dots, underscores, tildes and hyphens."
  },
  slug_taken: {
    statuses: [400],
    means: "Another workspace of this account has the same slug.",
    remedy: "Choose another slug."
  },
  workspace_not_empty: {
    statuses: [400],
    means: "The workspace still has active API keys.",
    remedy: "Delete the active keys of the workspace first."
  },
  budget_order: {
    statuses: [400],
    means:
      "A budget with a longer interval must have a higher limit than one with a shorter interval; a lifetime is the longest.",
    remedy: "Choose limits that rise with the interval."
  },
  unknown_interval: {
    statuses: [400],
    means: "The path names an interval that does not exist.",
    remedy: "Use one of the intervals that the error's message lists."
  },
  member_has_keys: {
    statuses: [400],
    means: "The member has active API keys in the workspace, and cannot be removed from it.",
    remedy: "Delete these keys first."
  },
  confirmation_required: {
    statuses: [400],
    means: "Deleting the default workspace must be confirmed.",
    remedy: "Repeat the request with confirm_default_workspace_deletion=true. It deletes the workspace and its keys."
  },
  destination_limit: {
    statuses: [409],
    means: "The workspace has five destinations of this type, which is the maximum.",
    remedy: "Delete or change one of them."
  },
  masked_value: {
    statuses: [400],
    means:
      "A secret of the config looks masked, and is not what is shown of the stored one, so it would replace a secret by a mask.",
    remedy: "Send the whole secret, or leave the field out to keep the stored one."
  },
  quota_exceeded: {
    statuses: [400],
    means: "The account or the workspace has reached a storage quota; the issue names it.",
    remedy: "Delete what is not needed, or ask the operator to raise the quota."
  },
  reserved_model: {
    statuses: [400],
    means: "This canonical slug is reserved.",
    remedy: "Give the model another canonical slug."
  },
  model_taken: {
    statuses: [400],
    means: "The installation's catalog has a model with this id or canonical slug.",
    remedy: "Give the model another id and canonical slug."
  },
  invalid_file: {
    statuses: [400],
    means: "The upload is not one file of an accepted kind with content; the issue says what is wrong.",
    remedy: "Send one file in the field file, of a kind that the issue or openapi.json names."
  },
  file_not_downloadable: {
    statuses: [400],
    means:
      "The file was uploaded, or its provider keeps its content back: what was uploaded cannot be downloaded again.",
    remedy: "Keep the original. Only files that a provider made can be downloaded."
  },
  usage_required: {
    statuses: [400],
    means: "The admission held nothing and the report has no usage, so the cost cannot be computed.",
    remedy: "Report prompt_tokens and completion_tokens, or cost_usd."
  },
  price_unknown: {
    statuses: [400],
    means: "The catalog has no price for this model at this provider, so the cost cannot be computed.",
    remedy: "Report cost_usd, or add the price to the catalog."
  },
  future_event: {
    statuses: [400],
    means: "An event has a time more than five minutes in the future.",
    remedy: "Correct the clock of the sender."
  },
  missing_authentication: {
    statuses: [401],
    means: "The request has no Authorization header.",
    remedy: "Send Authorization: Bearer KEY."
  },
  malformed_authentication: {
    statuses: [401],
    means: "The Authorization header does not have the form Bearer KEY.",
    remedy: "Send one header of the form Authorization: Bearer KEY."
  },
  misplaced_api_key: {
    statuses: [401],
    means: "The key is in another header or in the query, where the server does not read it.",
    remedy: "Send the key in the Authorization header. If a log may hold the address, replace the key."
  },
  malformed_api_key: {
    statuses: [401],
    means: "The checksum of the API key is wrong: a part of the key is missing or changed.",
    remedy: "Copy the whole key again."
  },
  invalid_api_key: {
    statuses: [401],
    means: "This installation has no such API key.",
    remedy: "Check that the key was created on this installation, or create one."
  },
  disabled_api_key: {
    statuses: [401],
    means: "The API key is disabled.",
    remedy: "Enable the key, or use another one."
  },
  expired_api_key: {
    statuses: [401],
    means: "The API key has expired.",
    remedy: "Create another key."
  },
  revoked_api_key: {
    statuses: [401],
    means: "The API key was revoked, deleted or rotated.",
    remedy: "Use the key that replaced it, or create one."
  },
  account_suspended: {
    statuses: [401],
    means: "The account of the API key is suspended.",
    remedy: "Ask the operator to resume the account."
  },
  refused_by_host: {
    statuses: [401],
    means: "The application that embeds Gatewarden refused the caller.",
    remedy: "Sign in to that application."
  },
  unknown_account: {
    statuses: [400, 401],
    means:
      "The account does not exist, or the key may not act in it: 400 where the request names the account, 401 where the host named it.",
    remedy: "Name an existing account, or use a gateway key."
  },
  account_required: {
    statuses: [400],
    means: "A gateway key belongs to no account, and the request does not say in which account it acts.",
    remedy: "Send api_key_hash, or account_id where the request concerns no key."
  },
  management_key_required: {
    statuses: [403],
    means: "Only a management key may use this operation.",
    remedy: "Use a management key."
  },
  operator_required: {
    statuses: [403],
    means: "Only a management key of the default account, or a gateway key, may change data of the whole installation.",
    remedy: "Ask the operator, or write models of the own account with ?account=own."
  },
  not_for_gateway_keys: {
    statuses: [403],
    means:
      "A gateway key may only use the operations of a data plane: admissions, settlements, usage events, explanations, the catalog.",
    remedy: "Use a management key."
  },
  not_admitted: {
    statuses: [403],
    means: "No live admission of this process grants this credential.",
    remedy: "Read the credential while the admission is live, in the process that admitted the request."
  },
  foreign_workspace: {
    statuses: [403],
    means: "The key belongs to another workspace.",
    remedy: "Use a key of the workspace, or a management key."
  },
  unknown_path: {
    statuses: [404],
    means: "The API has no such path.",
    remedy: "Compare the path with openapi.json."
  },
  not_found: {
    statuses: [404],
    means: "The resource does not exist, or this key may not see it.",
    remedy: "Check the id, and that the key belongs to the account of the resource."
  },
  unknown_admission: {
    statuses: [404],
    means: "The account has no admission with this id.",
    remedy: "Check the id, and that the key acts in the account of the admission."
  },
  no_byok_credential: {
    statuses: [404],
    means: "The workspace has no enabled BYOK credential for this provider that the key may use.",
    remedy: "Create or enable one."
  },
  method_not_allowed: {
    statuses: [405],
    means: "The path exists, but not with this method.",
    remedy: "Use a method that the Allow header lists."
  },
  payload_too_large: {
    statuses: [413],
    means: "The body is larger than the operation accepts.",
    remedy: "Send a smaller body, or several requests."
  },
  unsupported_media_type: {
    statuses: [415],
    means: "The operation does not accept this Content-Type, or the body has a Content-Encoding.",
    remedy: "Send the Content-Type that openapi.json names, without compression."
  },
  too_many_repetitions: {
    statuses: [429],
    means: "Too many requests with this Idempotency-Key wait for the first one.",
    remedy: "Wait as long as Retry-After says. Retry after a response, not before."
  },
  request_timeout: {
    statuses: [408],
    means: "The request arrived more slowly than the server allows.",
    remedy: "Send the request again over a faster connection."
  },
  uploads_in_flight: {
    statuses: [503],
    means: "The server has reached its limit of file uploads in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After."
  },
  key_uploads_in_flight: {
    statuses: [429],
    means: "The key has reached its limit of file uploads in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After, with fewer uploads at once."
  },
  bodies_in_flight: {
    statuses: [503],
    means: "The server has reached its limit of long request bodies in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After."
  },
  key_bodies_in_flight: {
    statuses: [429],
    means: "The key has reached its limit of long request bodies in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After, with fewer long bodies at once."
  },
  analytics_timeout: {
    statuses: [408],
    means: "The query took longer than the server allows, and was cancelled.",
    remedy: "Query a shorter time range, or fewer dimensions."
  },
  rate_limited: {
    statuses: [429],
    means: "The key or the account has reached a rate limit; the issue names it.",
    remedy: "Retry after the seconds of Retry-After."
  },
  unexpected_failure: {
    statuses: [500],
    means: "The server failed unexpectedly.",
    remedy: "Report the request id to the operator."
  },
  store_unavailable: {
    statuses: [500, 503],
    means:
      "The database does not answer. Nothing was changed. The status is 503 in operations that declare it in openapi.json, else 500.",
    remedy: "Retry later."
  },
  outcome_unknown: {
    statuses: [500],
    means: "The connection to the database broke during a commit: the change was made, or it was not.",
    remedy: "Read the resource before you retry, or retry with the same Idempotency-Key."
  },
  provider_failed: {
    statuses: [502],
    means: "The upstream provider failed, or sent an invalid response.",
    remedy: "Retry later, or ask the provider."
  },
  file_storage_unavailable: {
    statuses: [500, 503],
    means:
      "The file storage does not answer. The status is 503 in operations that declare it in openapi.json, else 500.",
    remedy: "Retry after the seconds of Retry-After, or later where there is none."
  },
  draining: {
    statuses: [503],
    means: "The server is shutting down.",
    remedy: "Retry at once; another process answers."
  }
} as const satisfies Record<
  string,
  { readonly statuses: readonly ErrorStatus[]; readonly means: string; readonly remedy: string }
>

export type Reason = keyof typeof reasons

/** The reasons that an error of a status may have. An error with another reason does not compile. */
export type ReasonOf<S extends ErrorStatus> = {
  readonly [R in Reason]: S extends (typeof reasons)[R]["statuses"][number] ? R : never
}[Reason]
