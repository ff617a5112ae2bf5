/**
 * Usage events, the classifiers that they carry, and a place where the parts of a long import wait for its end.
 *
 * Events are facts that outlive workspaces and keys, so they refer to neither. What waits is lost with the server, as the
 * import is.
 */
export const usage = {
  id: 10,
  name: "usage",
  sql: `
create table gatewarden_usage_event (
  account_id uuid not null,
  workspace_id uuid not null,
  created_at timestamptz not null,
  recorded_at timestamptz not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cached_tokens bigint not null,
  tool_calls bigint not null,
  cost_nanos bigint not null,
  byok_cost_nanos bigint not null,
  byok_fees_nanos bigint,
  usage_upstream_nanos bigint,
  usage_cache_nanos bigint,
  usage_data_nanos bigint,
  usage_web_nanos bigint,
  usage_upstream_web_nanos bigint,
  usage_file_nanos bigint,
  usage_upstream_file_nanos bigint,
  usage_web_fetch_nanos bigint,
  usage_upstream_web_fetch_nanos bigint,
  latency_ms double precision,
  generation_ms double precision,
  throughput double precision,
  byok boolean not null,
  guardrail_invoked boolean not null,
  response_cached boolean not null,
  id text collate "C" not null,
  status text collate "C" not null,
  model text collate "C" not null,
  variant text collate "C" not null,
  provider text collate "C" not null,
  endpoint_tag text collate "C",
  api_key_hash text collate "C",
  user_id text collate "C",
  external_user text collate "C",
  app text collate "C",
  origin text collate "C",
  country text collate "C",
  session_id text collate "C",
  data_region text collate "C",
  finish_reason text collate "C",
  context_length_bucket text collate "C" not null,
  category text collate "C",
  language_type text collate "C",
  sample_weight numeric not null,
  input_modalities text[],
  output_modalities text[],
  classifiers jsonb,
  trace jsonb,
  primary key (account_id, id)
);

create index gatewarden_usage_event_time on gatewarden_usage_event (account_id, created_at);
-- What a key has spent is summed from this index alone.
create index gatewarden_usage_event_key on gatewarden_usage_event (account_id, api_key_hash, created_at)
  include (cost_nanos, byok_cost_nanos);

create table gatewarden_usage_classifier (
  account_id uuid not null,
  classifier_id text collate "C" not null,
  primary key (account_id, classifier_id)
);

create unlogged table gatewarden_usage_batch (
  id uuid primary key,
  touched_at timestamptz not null
);

create unlogged table gatewarden_usage_staging (
  batch_id uuid not null,
  position bigint not null,
  like gatewarden_usage_event
);

create index gatewarden_usage_staging_batch on gatewarden_usage_staging (batch_id, position);
`
} as const
