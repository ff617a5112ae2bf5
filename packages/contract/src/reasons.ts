/** The one catalogue of reasons of errors. `npm run reference` writes `docs/reference/errors.md` from it. Rule: errors#reasons. */

/** Every value of `error.metadata.reason`: its meaning, and what the caller can do. A reason is never renamed. */
export const reasons = {
  invalid_request: {
    means: "A field of the body, query or path breaks its rule; see issues.",
    remedy: "Correct the fields that the issues name."
  },
  invalid_json: {
    means: "The body is not one JSON object in strict UTF-8.",
    remedy: "Send one JSON object in UTF-8; the issue gives the position of the fault."
  },
  invalid_header: {
    means: "A request header has a malformed value.",
    remedy: "Correct the header that the issue names."
  },
  invalid_idempotency_key: {
    means: "The Idempotency-Key is not 1 to 255 visible ASCII characters.",
    remedy: "Send 1 to 255 visible ASCII characters, such as a UUID."
  },
  idempotency_key_reused: {
    means: "The Idempotency-Key was used with another body or query.",
    remedy: "Use a new key for each distinct request."
  },
  unknown_workspace: {
    means: "The named workspace does not exist in this account.",
    remedy: "List the workspaces of the account and send the id of one of them."
  },
  default_workspace_deleted: {
    means: "The default workspace was deleted; name a workspace_id.",
    remedy: "Send a workspace_id."
  },
  limit_reset_pair: {
    means: "limit_usd and reset_interval are sent together or not at all.",
    remedy: "Send both, or neither. A limit that never resets has reset_interval null."
  },
  invalid_regex_pattern: {
    means: "A content filter pattern is not a regular expression that can run in linear time.",
    remedy: "Rewrite the pattern in RE2 syntax, without look-around and back-references."
  },
  default_guardrail_name: {
    means: "The name of a workspace's default guardrail is derived and cannot be changed.",
    remedy: "Leave name out of the request."
  },
  default_guardrail_kept: {
    means: "The default guardrail of a workspace cannot be deleted.",
    remedy: "Clear the fields of the guardrail instead."
  },
  unknown_api_key_hash: {
    means: "A hash names no live key of this account.",
    remedy: "List the keys of the account and send the hash of one that is live."
  },
  unknown_user: {
    means: "A user is named by no key and no membership of this account.",
    remedy: "Name the user in a key or a membership first."
  },
  api_key_unusable: {
    means: "The given key is taken, or its checksum is wrong.",
    remedy: "Send another key, or let the server make one."
  },
  unknown_provider: {
    means: "The provider is not in this installation's table.",
    remedy: "Send a slug of the table, or let the host of the installation extend it."
  },
  byok_only_fallback: {
    means: "is_byok_only and is_fallback exclude each other.",
    remedy: "Set one of the two."
  },
  invalid_callback_url: {
    means: "The callback_url is not an accepted https or loopback address.",
    remedy: "Send an https URL, or http with the host localhost or 127.0.0.1."
  },
  invalid_code_challenge: {
    means: "The code_challenge does not fit its method.",
    remedy: "Send 43 characters of base64url with S256, or 43 to 128 unreserved characters with plain."
  },
  invalid_authorization_code: {
    means: "The code or its verifier was not accepted.",
    remedy:
      "Start the authorization again. A code can be used once, within 10 minutes, and a wrong verifier destroys it."
  },
  authorization_code_exists: {
    means: "A live code with this challenge and callback origin exists.",
    remedy: "Use a new challenge, or wait until the live code has expired."
  },
  unknown_metric: {
    means: "The metric does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_dimension: {
    means: "The dimension does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_classifier: {
    means: "The classifier is not active in this account.",
    remedy: "Record a usage event with this classifier first, or correct the id."
  },
  invalid_time_range: {
    means: "The time range is empty, reversed or malformed.",
    remedy: "Send a start before the end, both in UTC with seconds."
  },
  invalid_date_window: {
    means: "The date window is impossible, reversed or before the dataset begins.",
    remedy: "Send real dates from 2025-01-01 on, the start not after the end."
  },
  filter_combination: {
    means: "These filters cannot be combined.",
    remedy: "Send one of the filters."
  },
  period_unavailable: {
    means: "The sampled dataset has no daily period.",
    remedy: "Send the period week or month, or leave category and language_type out."
  },
  conflicting_reasoning_effort: {
    means: "reasoning_effort contradicts reasoning.effort.",
    remedy: "Send one of the two, or the same value in both."
  },
  invalid_preset_slug: {
    means: "The preset slug is malformed.",
    remedy: "Use 1 to 128 letters, digits, dots, underscores, tildes and hyphens."
  },
  slug_taken: {
    means: "Another workspace of this account has this slug.",
    remedy: "Choose another slug."
  },
  workspace_not_empty: {
    means: "The workspace still has active API keys.",
    remedy: "Delete the active keys of the workspace first."
  },
  budget_order: {
    means: "The budgets of a workspace fall strictly from lifetime over monthly and weekly to daily.",
    remedy: "Choose limits so that every longer interval has the higher one."
  },
  unknown_interval: {
    means: "A budget's interval is daily, weekly, monthly or lifetime.",
    remedy: "Name one of these intervals in the path."
  },
  member_has_keys: {
    means: "A member who has active API keys in the workspace cannot be removed from it.",
    remedy: "Delete the active keys of the member in this workspace first."
  },
  confirmation_required: {
    means: "Deleting the default workspace needs confirm_default_workspace_deletion=true.",
    remedy: "Repeat the request with the parameter if the workspace and its keys are to go."
  },
  destination_limit: {
    means: "The workspace has five destinations of this type already.",
    remedy: "Delete a destination of this type, or change one."
  },
  quota_exceeded: {
    means: "The account or workspace stores as much as it may; the issue names the quota.",
    remedy: "Delete what is not needed, or let the operator raise the quota."
  },
  reserved_model: {
    means: "The canonical slug is reserved.",
    remedy: "Give the model another canonical slug."
  },
  model_taken: {
    means: "The installation's catalog has a model of this id or canonical slug.",
    remedy: "Give the model another id and canonical slug."
  },
  invalid_file: {
    means: "The file is empty or of a kind that is not accepted.",
    remedy: "Send a file that has content, of a kind that is listed."
  },
  usage_required: {
    means: "Nothing is known of what the request was sent: report its usage or its cost.",
    remedy: "Report token counts, or cost_usd."
  },
  price_unknown: {
    means: "The catalog has no price for this model at this provider: report the cost.",
    remedy: "Report cost_usd, or add the price to the catalog."
  },
  future_event: {
    means: "An event is dated more than five minutes ahead.",
    remedy: "Correct the clock of the sender."
  },
  missing_authentication: {
    means: "No Authorization header was sent.",
    remedy: "Send Authorization: Bearer and a key."
  },
  malformed_authentication: {
    means: "The Authorization header is not Bearer and one key.",
    remedy: "Send one header of the form Authorization: Bearer KEY."
  },
  misplaced_api_key: {
    means: "A key was sent in another header or in the query, where no key is read.",
    remedy: "Move the key to the Authorization header, and replace it if the address was logged."
  },
  malformed_api_key: {
    means: "The API key is damaged: its checksum is wrong.",
    remedy: "Copy the key again, as a whole."
  },
  invalid_api_key: {
    means: "The API key is unknown here.",
    remedy: "Check that the key belongs to this installation, or create one."
  },
  disabled_api_key: {
    means: "The API key is disabled.",
    remedy: "Enable the key, or use another."
  },
  expired_api_key: {
    means: "The API key has expired.",
    remedy: "Create another key."
  },
  revoked_api_key: {
    means: "The API key was revoked, deleted or replaced by another.",
    remedy: "Use the key that replaced it, or create one."
  },
  account_suspended: {
    means: "The account of the API key is suspended.",
    remedy: "Ask the operator to resume the account."
  },
  refused_by_host: {
    means: "The host of this gateway refused the caller.",
    remedy: "Sign in with the product that embeds this gateway."
  },
  unknown_account: {
    means: "The named account does not exist, or is not the one that this key acts in.",
    remedy: "Name an account that exists, or use a gateway key."
  },
  account_required: {
    means: "A gateway key acts in the account of a key; name api_key_hash, or account_id where there is none.",
    remedy: "Send api_key_hash or account_id."
  },
  management_key_required: {
    means: "The operation needs a management key.",
    remedy: "Use a management key."
  },
  operator_required: {
    means:
      "What belongs to the installation is written with a management key of the default account, or with a gateway key.",
    remedy: "Ask the operator, or write models of the account's own with ?account=own."
  },
  not_for_gateway_keys: {
    means:
      "A gateway key reports and asks for data planes: admissions, settlements, usage events, explanations and the catalog.",
    remedy: "Use a management key."
  },
  not_admitted: {
    means: "No live admission of this process has this credential among its candidates.",
    remedy: "Open credentials while the admission is live, in the process that admitted."
  },
  foreign_workspace: {
    means: "The key belongs to another workspace.",
    remedy: "Use a key of that workspace, or a management key."
  },
  unknown_path: {
    means: "No operation has this path.",
    remedy: "Compare the path with openapi.json."
  },
  not_found: {
    means: "The resource does not exist for this key.",
    remedy: "Check the id, and that the key belongs to the account of the resource."
  },
  unknown_admission: {
    means: "No admission of this account has this id.",
    remedy: "Check the id, and that the key acts in the account of the admission."
  },
  no_byok_credential: {
    means: "The workspace has no usable credential for this provider.",
    remedy: "Create or enable a BYOK credential for this provider that the key may use."
  },
  method_not_allowed: {
    means: "The path exists, but not with this method; see Allow.",
    remedy: "Use a method that Allow lists."
  },
  payload_too_large: {
    means: "The body is larger than the operation accepts.",
    remedy: "Send less, or in several requests."
  },
  unsupported_media_type: {
    means: "The operation takes another Content-Type, and no Content-Encoding.",
    remedy: "Send the Content-Type that openapi.json names, uncompressed."
  },
  too_many_repetitions: {
    means: "More requests with this Idempotency-Key wait for the first than may; see Retry-After.",
    remedy: "Wait for Retry-After; repeat a request after its answer, not beside it."
  },
  request_timeout: {
    means: "The request arrived more slowly than this server waits for.",
    remedy: "Send the request again over a faster connection."
  },
  uploads_in_flight: {
    means: "More bytes of files are being uploaded than this server takes at once; see Retry-After.",
    remedy: "Wait for Retry-After."
  },
  key_uploads_in_flight: {
    means: "More bytes of files are being uploaded with this key than it may at once; see Retry-After.",
    remedy: "Wait for Retry-After, or upload fewer files at once."
  },
  bodies_in_flight: {
    means: "More bytes of long bodies are being answered than this server takes at once; see Retry-After.",
    remedy: "Wait for Retry-After."
  },
  key_bodies_in_flight: {
    means: "More bytes of long bodies of this key are being answered than it may at once; see Retry-After.",
    remedy: "Wait for Retry-After, or send fewer long bodies at once."
  },
  analytics_timeout: {
    means: "The query ran longer than this server allows.",
    remedy: "Ask for a shorter range or fewer groups."
  },
  rate_limited: {
    means: "Too many requests; see Retry-After.",
    remedy: "Wait for Retry-After."
  },
  unexpected_failure: {
    means: "The server failed in a way it did not foresee.",
    remedy: "Report the request id to the operator."
  },
  store_unavailable: {
    means: "The database does not answer.",
    remedy: "Repeat the request later; nothing was changed."
  },
  outcome_unknown: {
    means: "The connection broke while the change was being committed; read before you repeat.",
    remedy: "Read the resource, or repeat the request with the same Idempotency-Key."
  },
  provider_failed: {
    means: "The upstream provider failed or answered nonsense.",
    remedy: "Repeat later, or ask the provider."
  },
  file_storage_unavailable: {
    means: "The file storage does not answer.",
    remedy: "Wait for Retry-After."
  },
  draining: {
    means: "The server is shutting down; try another one.",
    remedy: "Repeat at once; another process answers."
  }
} as const satisfies Record<string, { readonly means: string; readonly remedy: string }>

export type Reason = keyof typeof reasons
