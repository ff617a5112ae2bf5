-- Sums of usage events by hour and day, for analytics (Rule: analytics#sources).
--
-- A day of an account has sums once it has many events, or is over (`gatewarden_sum_usage_days`): then `kept` of `gatewarden_usage_day`
-- has the sets of cells that equal its events. A set is a roll-up by day, or by hour: then its number is 128 more. A roll-up has a bit for
-- each group of dimensions that it is grouped by: 64 model and variant, 32 key, 16 user, 8 provider and endpoint, 4 app, 2 status and
-- finish reason, 1 external user. Coarse sets (0, 8 and 64) take in what is recorded later; the others are made when the day is over, and
-- go when something is recorded for it. The sums of a day are made in parts of some thousand events, each in a transaction of its own.
--
-- An event is summed once: it waits in `gatewarden_usage_unfolded` from the statement that records it until one transaction takes it out
-- of there and adds it to the sets of its day. A reader that adds what waits to the cells sees every event exactly once, whatever runs
-- meanwhile. Much that is recorded at once does not wait. Whoever changes cells has the account's lock (`gatewarden_fold_lock`).

create table gatewarden_usage_unfolded (
  account_id uuid not null,
  created_at timestamptz not null,
  id text collate "C" not null
);

create index gatewarden_usage_unfolded_order on gatewarden_usage_unfolded (account_id, created_at);

create policy gatewarden_tenant on gatewarden_usage_unfolded
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_usage_day (
  account_id uuid not null,
  day date not null,
  -- That do not wait.
  events bigint not null,
  changed_at timestamptz not null,
  kept smallint[] not null,
  is_closed boolean not null,
  -- Summed by all sets by day, so that its events may be dropped.
  is_whole boolean not null,
  -- Sets that are being made, part by part, from the events up to one; null: none are.
  making smallint[],
  making_for text check (making_for in ('the day in progress', 'the day that is over', 'the events to be dropped')),
  made_at timestamptz,
  made_id text collate "C",
  made bigint,
  -- Of how many events no set was worth keeping while the day was in progress.
  judged bigint not null default 0,
  primary key (account_id, day),
  check ((making is null) = (making_for is null) and (making is null) = (made is null))
) with (fillfactor = 80);

create index gatewarden_usage_day_open on gatewarden_usage_day (day) where not is_closed;
create index gatewarden_usage_day_partial on gatewarden_usage_day (day) where not is_whole;
create index gatewarden_usage_day_large on gatewarden_usage_day (day) where not is_closed and kept = '{}' and events >= 2000;

create policy gatewarden_tenant on gatewarden_usage_day
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_usage_cell (
  account_id uuid not null,
  workspace_id uuid not null,
  bucket timestamptz not null,
  request_count bigint not null,
  byok bigint not null,
  guardrail_invoked bigint not null,
  response_cached bigint not null,
  latency_ms_count bigint not null,
  throughput_count bigint not null,
  rollup smallint not null,
  is_day boolean not null,
  prompt_tokens numeric not null,
  completion_tokens numeric not null,
  reasoning_tokens numeric not null,
  cached_tokens numeric not null,
  cache_write_tokens numeric not null,
  cost_nanos numeric not null,
  byok_cost_nanos numeric not null,
  latency_ms_sum numeric not null,
  throughput_sum numeric not null,
  byok_fees_nanos numeric,
  usage_upstream_nanos numeric,
  usage_cache_nanos numeric,
  usage_data_nanos numeric,
  usage_web_nanos numeric,
  usage_upstream_web_nanos numeric,
  usage_file_nanos numeric,
  usage_upstream_file_nanos numeric,
  usage_web_fetch_nanos numeric,
  usage_upstream_web_fetch_nanos numeric,
  model text collate "C",
  variant text collate "C",
  api_key_hash text collate "C",
  user_id text collate "C",
  provider text collate "C",
  endpoint_tag text collate "C",
  app text collate "C",
  status text collate "C",
  finish_reason text collate "C",
  external_user text collate "C"
) with (fillfactor = 80);

-- Of an array, in which nulls are equal.
create unique index gatewarden_usage_cell_key on gatewarden_usage_cell (
  account_id, rollup, is_day, bucket, workspace_id,
  (array[model, variant, api_key_hash, user_id, provider, endpoint_tag, app, status, finish_reason, external_user])
);

create policy gatewarden_tenant on gatewarden_usage_cell
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

-- What percentiles are read of: all values of a cell that has few, and a sketch (`gatewarden_sketch`) of a cell that has many.
create table gatewarden_usage_spread (
  account_id uuid not null,
  workspace_id uuid not null,
  bucket timestamptz not null,
  latency_ms_count bigint not null,
  throughput_count bigint not null,
  rollup smallint not null,
  is_day boolean not null,
  model text collate "C",
  variant text collate "C",
  provider text collate "C",
  endpoint_tag text collate "C",
  latency_ms_values double precision[],
  latency_ms_sketch bigint[],
  throughput_values double precision[],
  throughput_sketch bigint[]
) with (fillfactor = 80);

create unique index gatewarden_usage_spread_key on gatewarden_usage_spread (
  account_id, rollup, is_day, bucket, workspace_id, (array[model, variant, provider, endpoint_tag])
);

create policy gatewarden_tenant on gatewarden_usage_spread
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create trigger gatewarden_note_unfolded after insert on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_note_unfolded();
