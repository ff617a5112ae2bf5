/**
 * The envelope of every error, the closed list of statuses and the one catalogue of reasons.
 *
 * Rule: errors#envelope, errors#messages, errors#reasons.
 */
import * as z from "zod"

/** Every error status and the exact text of `error.message` that goes with it. */
export const errorMessages = {
  400: "Invalid request parameters",
  401: "Missing Authentication header",
  402: "Insufficient credits",
  403: "Only management keys can perform this operation",
  404: "Resource not found",
  405: "Method not allowed",
  408: "Operation timed out. Please try again later.",
  409: "Resource conflict. Please try again later.",
  413: "Request payload too large",
  415: "Unsupported media type",
  429: "Rate limit exceeded",
  500: "Internal Server Error",
  502: "Provider returned error",
  503: "Service temporarily unavailable"
} as const

export type ErrorStatus = keyof typeof errorMessages

/**
 * Statuses that any request may meet, beside those that its operation declares (Rule: requests#statuses-of-every-request): 408 and
 * 429 by a body that arrives too slowly, or beside too much else of its key.
 */
export const globalStatuses = [404, 405, 408, 413, 415, 429, 503] as const satisfies readonly ErrorStatus[]

/** Every value of `error.metadata.reason`, with what it tells the user. A reason is never renamed. */
export const reasons = {
  invalid_request: "A field of the body, query or path breaks its rule; see issues.",
  invalid_json: "The body is not one JSON object in strict UTF-8.",
  invalid_header: "A request header has a malformed value.",
  invalid_idempotency_key: "The Idempotency-Key is not 1 to 255 visible ASCII characters.",
  idempotency_key_reused: "The Idempotency-Key was used with another body or query.",
  unknown_workspace: "The named workspace does not exist in this account.",
  default_workspace_deleted: "The default workspace was deleted; name a workspace_id.",
  limit_reset_pair: "limit_usd and reset_interval are sent together or not at all.",
  invalid_regex_pattern: "A content filter pattern is not a regular expression that can run in linear time.",
  default_guardrail_name: "The name of a workspace's default guardrail is derived and cannot be changed.",
  default_guardrail_kept: "The default guardrail of a workspace cannot be deleted.",
  unknown_api_key_hash: "A hash names no live key of this account.",
  unknown_user: "A user is named by no key and no membership of this account.",
  api_key_unusable: "The given key is taken, or its checksum is wrong.",
  unknown_provider: "The provider is not in this installation's table.",
  byok_only_fallback: "is_byok_only and is_fallback exclude each other.",
  invalid_callback_url: "The callback_url is not an accepted https or loopback address.",
  invalid_code_challenge: "The code_challenge does not fit its method.",
  invalid_authorization_code: "The code or its verifier was not accepted.",
  authorization_code_exists: "A live code with this challenge and callback origin exists.",
  unknown_metric: "The metric does not exist.",
  unknown_dimension: "The dimension does not exist.",
  unknown_classifier: "The classifier is not active in this account.",
  invalid_time_range: "The time range is empty, reversed or malformed.",
  invalid_date_window: "The date window is impossible, reversed or before the dataset begins.",
  filter_combination: "These filters cannot be combined.",
  period_unavailable: "The sampled dataset has no daily period.",
  conflicting_reasoning_effort: "reasoning_effort contradicts reasoning.effort.",
  invalid_preset_slug: "The preset slug is malformed.",
  slug_taken: "Another workspace of this account has this slug.",
  workspace_not_empty: "The workspace still has active API keys.",
  budget_order: "The budgets of a workspace fall strictly from lifetime over monthly and weekly to daily.",
  unknown_interval: "A budget's interval is daily, weekly, monthly or lifetime.",
  member_has_keys: "A member who has active API keys in the workspace cannot be removed from it.",
  confirmation_required: "Deleting the default workspace needs confirm_default_workspace_deletion=true.",
  destination_limit: "The workspace has five destinations of this type already.",
  quota_exceeded: "The account or workspace stores as much as it may; the issue names the quota.",
  reserved_model: "The canonical slug is reserved.",
  model_taken: "The installation's catalog has a model of this id or canonical slug.",
  invalid_file: "The file is empty or of a kind that is not accepted.",
  usage_required: "Nothing is known of what the request was sent: report its usage or its cost.",
  price_unknown: "The catalog has no price for this model at this provider: report the cost.",
  future_event: "An event is dated more than five minutes ahead.",
  missing_authentication: "No Authorization header was sent.",
  malformed_authentication: "The Authorization header is not Bearer and one key.",
  misplaced_api_key: "A key was sent in another header or in the query, where no key is read.",
  malformed_api_key: "The API key is damaged: its checksum is wrong.",
  invalid_api_key: "The API key is unknown here.",
  disabled_api_key: "The API key is disabled.",
  expired_api_key: "The API key has expired.",
  revoked_api_key: "The API key was revoked, deleted or replaced by another.",
  account_suspended: "The account of the API key is suspended.",
  refused_by_host: "The host of this gateway refused the caller.",
  unknown_account: "The named account does not exist, or is not the one that this key acts in.",
  account_required: "A gateway key acts in the account of a key; name api_key_hash, or account_id where there is none.",
  management_key_required: "The operation needs a management key.",
  operator_required:
    "What belongs to the installation is written with a management key of the default account, or with a gateway key.",
  not_for_gateway_keys:
    "A gateway key reports and asks for data planes: admissions, settlements, usage events, explanations and the catalog.",
  not_admitted: "No live admission of this process has this credential among its candidates.",
  foreign_workspace: "The key belongs to another workspace.",
  unknown_path: "No operation has this path.",
  not_found: "The resource does not exist for this key.",
  unknown_admission: "No admission of this account has this id.",
  no_byok_credential: "The workspace has no usable credential for this provider.",
  method_not_allowed: "The path exists, but not with this method; see Allow.",
  payload_too_large: "The body is larger than the operation accepts.",
  unsupported_media_type: "The operation takes another Content-Type, and no Content-Encoding.",
  too_many_repetitions: "More requests with this Idempotency-Key wait for the first than may; see Retry-After.",
  request_timeout: "The request arrived more slowly than this server waits for.",
  uploads_in_flight: "More bytes of files are being uploaded than this server takes at once; see Retry-After.",
  key_uploads_in_flight: "More bytes of files are being uploaded with this key than it may at once; see Retry-After.",
  bodies_in_flight: "More bytes of long bodies are being answered than this server takes at once; see Retry-After.",
  key_bodies_in_flight:
    "More bytes of long bodies of this key are being answered than it may at once; see Retry-After.",
  analytics_timeout: "The query ran longer than this server allows.",
  rate_limited: "Too many requests; see Retry-After.",
  unexpected_failure: "The server failed in a way it did not foresee.",
  store_unavailable: "The database does not answer.",
  outcome_unknown: "The connection broke while the change was being committed; read before you repeat.",
  provider_failed: "The upstream provider failed or answered nonsense.",
  file_storage_unavailable: "The file storage does not answer.",
  draining: "The server is shutting down; try another one."
} as const

export type Reason = keyof typeof reasons

/** One broken rule. `path` is dotted, from the body's root; query and path parameters start with `query.` and `path.`. */
export const Issue = z.object({ path: z.string(), code: z.string(), message: z.string() })
export type Issue = z.output<typeof Issue>

/** The body of every error answer; `code` equals the HTTP status. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.int(),
      message: z.string(),
      metadata: z
        .object({
          request_id: z.string(),
          reason: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]),
          issues: z.array(Issue)
        })
        .nullable()
        .optional()
    })
  })
  .meta({ id: "ErrorEnvelope" })
export type ErrorEnvelope = z.output<typeof ErrorEnvelope>
