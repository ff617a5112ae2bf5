-- Sums for the datasets of apps, tasks and sessions.
--
-- A span is one day of a dataset, or one week of sessions. Its cells count while it has the folds of all of its days that count
-- (rankings.sql) as they were when it was summed: what is recorded late makes rankings fold the day again, and so the span, too.

create table gatewarden_dataset_span (
  day date not null,
  dataset text collate "C" not null,
  fold_ids uuid[] not null,
  -- Until when the cells of a span that is not over yet count; null for a span that was summed whole.
  open_until timestamptz,
  primary key (dataset, day)
);

create table gatewarden_app_cell (
  day date not null,
  requests bigint not null,
  tokens numeric not null,
  recorded_at timestamptz not null,
  named_at timestamptz,
  app text collate "C" not null,
  name text collate "C",
  categories text[]
);

create index gatewarden_app_cell_day on gatewarden_app_cell (day);

create table gatewarden_task_cell (
  day date not null,
  requests numeric not null,
  tokens numeric not null,
  tag text collate "C" not null,
  model text collate "C" not null,
  variant text collate "C" not null
);

create index gatewarden_task_cell_day on gatewarden_task_cell (day);

create table gatewarden_session_cell (
  day date not null,
  turns int not null,
  median_nanos numeric not null,
  recorded_at timestamptz not null,
  app text collate "C" not null,
  name text collate "C",
  model text collate "C" not null,
  variant text collate "C" not null
);

create index gatewarden_session_cell_day on gatewarden_session_cell (day);
