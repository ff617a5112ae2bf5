/**
 * Sums for the datasets of apps, tasks and sessions, and what an app says that it is for.
 *
 * A span is one day of a dataset, or one week of sessions. Its cells count while it has the folds of all of its days that count
 * (`baseline/rankings.ts`) as they were when it was summed: what is recorded late makes rankings fold the day again, and so the span, too.
 */
export const datasets = {
  id: 55,
  name: "datasets",
  sql: `
alter table gatewarden_usage_event add column app_categories text[];
alter table gatewarden_usage_staging add column app_categories text[];

create table gatewarden_dataset_span (
  day date not null,
  dataset text collate "C" not null,
  fold_ids uuid[] not null,
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
`
} as const
