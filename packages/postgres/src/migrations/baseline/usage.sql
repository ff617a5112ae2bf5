-- Usage events, the ids that were recorded, the classifiers that events carry, and a place where the parts of a long import wait for its end.
--
-- Events are facts that outlive workspaces and keys, so they refer to neither. What waits is lost with the server, as the import is. A
-- settled event keeps what a repetition of its settlement needs: when its money was held, which budgets applied, by how much it went over.
--
-- Events lie in a partition for each day, which `gatewarden_open_usage_days` makes before the first event of a day is recorded, and
-- retention drops as a whole. Statements that find events by their ids find their instants in gatewarden_usage_id first, and then read
-- one partition (`gatewarden_usage_events`). Docs: docs/decisions/0018-usage-by-day.md.
--
-- What most events do not have takes no room: counts of 0 and a weight of 1 are null. Lists are text as PostgreSQL writes arrays, which takes
-- a third of an array's room; readers cast them.
--
-- `self_reported` events were reported by the account itself, not by the operator: they count for the account, and in no statistics that
-- others see; `null` is false.
--
-- An event that `adjusts` another is no request: its amounts are the difference that a correction makes. It has the other's time and whatever
-- else is summed by, so that sums follow by themselves; what counts requests leaves it out.
--
-- A column of gatewarden_usage_event that an import can carry is in gatewarden_usage_staging, too.

create table gatewarden_usage_event (
  account_id uuid not null,
  workspace_id uuid not null,
  created_at timestamptz not null,
  recorded_at timestamptz not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint,
  cached_tokens bigint,
  tool_calls bigint,
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
  cache_write_tokens bigint,
  latency_ms double precision,
  generation_ms double precision,
  throughput double precision,
  charged_at timestamptz,
  budget_list_id bigint,
  byok boolean not null,
  guardrail_invoked boolean not null,
  response_cached boolean not null,
  self_reported boolean,
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
  sample_weight numeric,
  input_modalities text collate "C",
  output_modalities text collate "C",
  classifiers jsonb,
  trace jsonb,
  held_nanos numeric,
  overdrafts numeric[],
  app_categories text collate "C",
  guardrail_id text collate "C",
  adjusts text collate "C",
  primary key (account_id, created_at, id)
) partition by range (created_at);

create index gatewarden_usage_event_adjusts on gatewarden_usage_event (account_id, adjusts) where adjusts is not null;

-- What an account sends of the time before there was such a thing: one partition, however many days it names.
create table gatewarden_usage_event_early partition of gatewarden_usage_event for values from (minvalue) to ('2020-01-01T00:00:00Z');

create trigger gatewarden_ranking_note_late after insert on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_ranking_note_late();
create trigger gatewarden_keep_sums after insert on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_keep_sums();

-- It holds statements on the table, whichever partition they read. Nobody but the owner may name a partition.
create policy gatewarden_tenant on gatewarden_usage_event
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- Every id that was recorded (`gatewarden_usage_key`), and the instant of its event: an id counts once, whatever instant a repetition names.
--
-- It has no account and no policy: whoever has no id of an account finds nothing of it here.
create table gatewarden_usage_id (
  created_at timestamptz not null,
  key uuid primary key
);

-- All ids of a day are one entry.
create index gatewarden_usage_id_day on gatewarden_usage_id (((created_at at time zone 'UTC')::date));

-- The instant before which days were dropped, in one row once one was: what is older is taken for a repetition.
create table gatewarden_usage_horizon (
  is_kept boolean primary key default true check (is_kept),
  begins_at timestamptz not null
);

create table gatewarden_usage_classifier (
  account_id uuid not null,
  classifier_id text collate "C" not null,
  primary key (account_id, classifier_id)
);

create policy gatewarden_tenant on gatewarden_usage_classifier
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create unlogged table gatewarden_usage_batch (
  id uuid primary key,
  touched_at timestamptz not null
);

create unlogged table gatewarden_usage_staging (
  batch_id uuid not null,
  position bigint not null,
  account_id uuid not null,
  workspace_id uuid not null,
  created_at timestamptz not null,
  recorded_at timestamptz not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint,
  cached_tokens bigint,
  tool_calls bigint,
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
  sample_weight numeric,
  input_modalities text collate "C",
  output_modalities text collate "C",
  classifiers jsonb,
  trace jsonb,
  self_reported boolean,
  app_categories text collate "C",
  delivered_to uuid[],
  sealed_bodies bytea,
  sealed_content bytea,
  delivery_run bigint,
  cache_write_tokens bigint,
  guardrail_id text collate "C",
  adjusts text collate "C"
);

create index gatewarden_usage_staging_batch on gatewarden_usage_staging (batch_id, position);

create policy gatewarden_tenant on gatewarden_usage_staging
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- What somebody said of a recorded request. It outlives nothing: retention removes it.
create table gatewarden_generation_feedback (
  account_id uuid not null,
  given_at timestamptz not null,
  id text collate "C" not null,
  category text collate "C" not null,
  comment text collate "C",
  primary key (id, account_id)
);

create index gatewarden_generation_feedback_given on gatewarden_generation_feedback (given_at);

create policy gatewarden_tenant on gatewarden_generation_feedback
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- Input and output of requests, encrypted, where a workspace keeps them (Rule: usage#prompt-logging). Written with their event.
create table gatewarden_generation_content (
  account_id uuid not null,
  workspace_id uuid not null,
  recorded_at timestamptz not null,
  event_id text collate "C" not null,
  sealed_bodies bytea not null,
  primary key (account_id, event_id)
);

alter table gatewarden_generation_content alter column sealed_bodies set storage external;

create index gatewarden_generation_content_recorded on gatewarden_generation_content (recorded_at);
create index gatewarden_generation_content_workspace on gatewarden_generation_content (workspace_id);

create trigger gatewarden_generation_content_kept after insert on gatewarden_generation_content
  referencing new table as added for each statement execute function gatewarden_count_stored_bodies();
create trigger gatewarden_generation_content_left after delete on gatewarden_generation_content
  referencing old table as removed for each statement execute function gatewarden_count_stored_bodies();
-- Another key's ciphertext may have another length.
create trigger gatewarden_generation_content_sealed after update on gatewarden_generation_content
  for each row when (octet_length(old.sealed_bodies) <> octet_length(new.sealed_bodies))
  execute function gatewarden_count_stored_bodies();

create policy gatewarden_tenant on gatewarden_generation_content
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
