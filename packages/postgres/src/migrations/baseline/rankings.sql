-- What rankings need beside usage events: days that are summed once.
--
-- A folded day has its sums as cells: `whole` for each model, `part` for every combination of what a request can filter by. A day is read
-- from its cells only if it is folded and nothing was recorded for it since, so the cells always equal the events. This holds because
-- recording takes a shared lock on each day that it touches until it commits, and a fold begins under the exclusive lock: an event is
-- either visible to the fold, or its recorder sees that the day was folded and notes it as late. Nothing waits for a fold while it sums.
-- Notes are only ever added by recorders, never changed, so that two of them cannot block each other.
--
-- Rankings leave out what private endpoints served, whose tags begin with `private/` (Rule: usage#public-statistics).

create table gatewarden_ranking_cell (
  day date not null,
  text boolean,
  image boolean,
  image_output boolean,
  audio boolean,
  tool_calling boolean,
  recorded_at timestamptz not null,
  tokens numeric not null,
  weighted_tokens numeric not null,
  kind text collate "C" not null,
  model text collate "C" not null,
  variant text collate "C" not null,
  context_bucket text collate "C",
  category text collate "C",
  language_type text collate "C"
);

create index gatewarden_ranking_cell_day on gatewarden_ranking_cell (kind, day);

create table gatewarden_ranking_day (
  day date primary key,
  fold_id uuid not null,
  folded boolean not null
);

create table gatewarden_ranking_late (
  day date not null
);

create index gatewarden_ranking_late_day on gatewarden_ranking_late (day);

create view gatewarden_ranking_event as
select
  (created_at at time zone 'UTC')::date as day,
  created_at,
  recorded_at,
  prompt_tokens + completion_tokens as tokens,
  coalesce(sample_weight, 1) as sample_weight,
  coalesce('text' = any (output_modalities::text[]), false) as text,
  coalesce('image' = any (input_modalities::text[]), false) as image,
  coalesce('image' = any (output_modalities::text[]), false) as image_output,
  coalesce('audio' = any (input_modalities::text[]), false) as audio,
  coalesce(tool_calls, 0) > 0 as tool_calling,
  model,
  variant,
  context_length_bucket as context_bucket,
  category,
  language_type
from gatewarden_usage_event
where self_reported is not true and (endpoint_tag is null or not starts_with(endpoint_tag, 'private/'));
