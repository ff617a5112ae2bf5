import type { PersonalTableName } from "@gatewarden/core/store"

/**
 * Which columns may hold a person, and what an erasure does with each (docs/decisions/0010-erasure.md).
 *
 * Every column of a type that can hold a name is listed: texts, lists of texts, JSON and bytes. A test compares the table with the schema, so
 * a new column is classified or the test fails.
 */
export interface PersonColumns {
  /** The id of a user of the account: replaced by the pseudonym of the user. */
  readonly user?: readonly string[]
  /** A host's name for its end user: replaced by the pseudonym of the external user. */
  readonly external_user?: readonly string[]
  /** Names a user in rows of one kind, and something else in others, or within JSON: replaced there alone. */
  readonly mixed?: readonly string[]
  /** About the person whom another column of the row, or the event of the row, names: removed with the name. */
  readonly about?: readonly string[]
  /** Kept by triggers as other tables name users: renamed with them. */
  readonly followed?: readonly string[]
  /** Groups what one person did: replaced by a pseudonym of its own, so that what is counted by it stays. */
  readonly linked?: readonly string[]
  /** In the chain of the audit log, whose hashes cover it: stays until the retention of changes. */
  readonly chained?: readonly string[]
  /** What somebody wrote to configure the account, or uploaded: not searched for names. Whoever wrote it can change or delete it. */
  readonly written?: readonly string[]
  /** What is summed by it must stay: values that the account chose to tell its own usage apart. */
  readonly summed?: readonly string[]
  /** Goes by itself soon: an answer that is repeated to whoever had it already, the request of an erasure, what an import has sent. */
  readonly expiring?: readonly string[]
  /** Holds no person: an enumeration, a hash, an id, or a name of a model, a provider or a key. */
  readonly none?: readonly string[]
}

const modelNames = ["model", "variant"]

const eventColumns: PersonColumns = {
  user: ["user_id"],
  external_user: ["external_user"],
  linked: ["session_id"],
  about: ["trace"],
  summed: ["app", "origin", "country", "classifiers", "app_categories"],
  none: [
    ...["id", "status", ...modelNames, "provider", "endpoint_tag", "api_key_hash", "data_region", "finish_reason"],
    ...[
      "guardrail_id",
      "adjusts",
      "context_length_bucket",
      "category",
      "language_type",
      "input_modalities",
      "output_modalities"
    ]
  ]
}

const modelColumns: PersonColumns = {
  written: ["name", "description", "listing"],
  none: ["id", "canonical_slug", "slug", "variant", "architecture", "endpoints"]
}

/** By table, without the prefix. A table that is absent has no such column. */
export const personColumns: Readonly<Record<string, PersonColumns>> = {
  account: { written: ["name"] },
  // The subject of a budget's alert ends with its entity and its interval, and the data of it has the entity.
  alert: { mixed: ["subject", "data"], none: ["type", "crossing"] },
  alert_channel: { written: ["name", "config", "sealed_config"], none: ["type", "events"] },
  alert_delivery: { mixed: ["subject"], none: ["type", "status", "last_message"] },
  api_key: {
    user: ["user_id", "creator_user_id"],
    external_user: ["external_user"],
    written: ["name"],
    none: ["hash", "kind", "label", "limit_reset", "restrictions", "issued_by"]
  },
  app: { none: ["callback_origin"] },
  app_cell: { summed: ["app", "name", "categories"] },
  audit_chain: { none: ["hash", "pruned_hash"] },
  audit_signature: { none: ["sealed"] },
  audit_seal: { chained: ["actor_id"], none: ["actor_type", "operation", "request_id", "hash"] },
  authorization_code: {
    user: ["user_id"],
    written: ["key_name", "callback_url", "callback_origin", "spawn_agent", "spawn_cloud"],
    none: ["code_hash", "challenge_hash", "code_challenge_method", "limit_reset", "key_hash"]
  },
  background_job: { none: ["job", "position"] },
  budget_list: { mixed: ["budgets"], none: ["digest"] },
  budget_warning: { mixed: ["entity"], none: ["kind", "scope", "interval"] },
  budget_window: { mixed: ["entity"], none: ["spender", "interval"] },
  byok_credential: {
    user: ["allowed_user_ids"],
    written: ["name"],
    none: ["provider", "label", "declared_region", "sealed_key", "allowed_api_key_hashes", "allowed_models"]
  },
  changes: { chained: ["id", "acting", "before", "after"], none: ["noun", "action"] },
  credit_grant: { written: ["note"] },
  dataset_span: { none: ["dataset"] },
  dead_letter: { about: ["sealed_bodies"], none: ["event_id", "message"] },
  deleted_key: { user: ["user_id"], external_user: ["external_user"], none: ["hash"] },
  delivery: { about: ["sealed_bodies"], none: ["event_id", "following_ids"] },
  delivery_attempt: { none: ["outcome", "message"] },
  delivery_state: { none: ["last_message"] },
  destination: {
    written: ["name", "filter_rules", "config", "sealed_config"],
    none: ["type", "api_key_hashes", "regions", "receives_since"]
  },
  directory_group: { written: ["display_name", "folded_name", "external_id"] },
  directory_sync: { none: ["status"] },
  directory_user: { user: ["user_id"], about: ["user_name", "folded_name", "external_id", "attributes"] },
  // The request has the name, encrypted, and its digest is one of the name: both end with the job.
  erasure: {
    expiring: ["sealed_request", "request_digest"],
    none: ["kind", "pseudonym", "status", "step", "after_id", "in_the_way", "erased"]
  },
  external_user: { external_user: ["external_user"] },
  federation_policy: {
    user: ["user_id"],
    written: ["name", "issuer", "audience", "jwks_uri", "subject", "claims"]
  },
  file: { written: ["filename"], none: ["id", "state", "mime_type"] },
  file_content: { written: ["bytes"], none: ["file_id"] },
  function: { none: ["name", "checksum", "applied_as"] },
  generation_content: { about: ["sealed_bodies"], none: ["event_id"] },
  generation_feedback: { about: ["comment"], none: ["id", "category"] },
  group_mapping: { none: ["role"] },
  guardrail: {
    written: ["name", "description", "content_filters"],
    none: [
      ...["allowed_data_regions", "allowed_models", "allowed_providers", "ignored_models", "ignored_providers"],
      ...["content_filter_builtins", "reset_interval", "content_filter_unscannable"]
    ]
  },
  guardrail_key: { user: ["assigned_by"], none: ["key_hash"] },
  guardrail_member: { user: ["user_id", "assigned_by"] },
  hold: { user: ["user_id", "member"], mixed: ["settlement"], none: ["admission_id", "state", "key_hash", "size"] },
  idempotency_record: { expiring: ["sealed"], none: ["key_hash", "request_hash", "body_hash"] },
  key_admission: { none: ["admission_id", "key_hash"] },
  key_rate_limit: { none: ["key_hash"] },
  key_secret: { none: ["secret_hash", "key_hash"] },
  mail_recipient: { written: ["address"], none: ["token_hash"] },
  migration: { none: ["name", "checksum"] },
  model: modelColumns,
  named_user: { followed: ["user_id"] },
  own_model: { ...modelColumns, none: [...(modelColumns.none ?? []), "claims"] },
  process: { none: ["id", "host", "key_ids"] },
  preset: { user: ["creator_user_id"], written: ["name", "description"], none: ["slug", "status"] },
  preset_version: { user: ["creator_id"], written: ["config", "system_prompt"] },
  private_endpoint: {
    written: ["provider_name", "upstream_model_id", "base_url"],
    none: ["model_permaslug", "provider_slug", "declared_region", "pricing", "status", "validated"]
  },
  private_provider: {
    written: ["slug", "name", "display_name", "base_url", "headquarters", "datacenters", "privacy_policy_url"],
    none: ["data_policy"]
  },
  ranking_cell: { none: ["kind", ...modelNames, "context_bucket", "category", "language_type"] },
  rate_limit: { none: ["bucket"] },
  session_cell: { summed: ["app", "name"], none: modelNames },
  spent: { mixed: ["entity"], none: ["spender"] },
  stored_amount: { none: ["kind"] },
  task_cell: { none: ["tag", ...modelNames] },
  token_exchange: { none: ["use_id", "key_hash"] },
  usage_cell: {
    user: ["user_id"],
    external_user: ["external_user"],
    summed: ["app"],
    none: [...modelNames, "api_key_hash", "provider", "endpoint_tag", "status", "finish_reason"]
  },
  usage_classifier: { summed: ["classifier_id"] },
  usage_event: eventColumns,
  usage_outgoing: { none: ["id"] },
  // Events of an import that is not finished. It goes within the hour, or is recorded as new usage.
  usage_unfolded: { none: ["id"] },
  usage_day: { none: ["making_for", "made_id"] },
  usage_spread: { none: [...modelNames, "provider", "endpoint_tag"] },
  measured_event: { none: [...modelNames, "provider", "endpoint_tag"] },
  measured_span: { none: [...modelNames, "provider", "endpoint_tag"] },
  usage_staging: { ...eventColumns, expiring: ["sealed_bodies", "sealed_content"] },
  workspace: {
    user: ["created_by"],
    written: ["slug", "name", "description"],
    none: [
      ...["default_text_model", "default_image_model", "default_provider_sort"],
      ...["disabled_server_tools", "presets_designated_by"]
    ]
  },
  workspace_budget: { none: ["interval"] },
  workspace_member: { user: ["user_id"], none: ["role"] }
}

export interface PersonalSource {
  /** Has `account_id` and the columns that `personalTables` names. */
  readonly from: string
  /** The columns that name users are lists. */
  readonly lists?: true
  /** Its rows are found by their workspaces: no index has the account first, nor the name. */
  readonly ofWorkspaces?: true
}

/** Where the rows of each table of personal data are. */
export const personalSources: Readonly<Record<PersonalTableName, PersonalSource>> = {
  key: { from: "gatewarden_api_key" },
  deleted_key: { from: "gatewarden_deleted_key" },
  external_user: { from: "gatewarden_external_user" },
  authorization_code: { from: "gatewarden_authorization_code" },
  byok_credential: { from: "gatewarden_byok_credential", lists: true, ofWorkspaces: true },
  directory_user: { from: "gatewarden_directory_user" },
  federation_policy: { from: "gatewarden_federation_policy", ofWorkspaces: true },
  key_assignment: { from: "gatewarden_guardrail_key" },
  member_assignment: { from: "gatewarden_guardrail_member" },
  preset: { from: "gatewarden_preset", ofWorkspaces: true },
  preset_version: {
    from: `(select v.*, p.account_id from gatewarden_preset_version v join gatewarden_preset p on p.id = v.preset_id) version`
  },
  workspace: { from: "gatewarden_workspace" },
  workspace_member: { from: "gatewarden_workspace_member" }
}
