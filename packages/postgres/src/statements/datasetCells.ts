/**
 * What the cells of each dataset are: sums of events over the days of an expression `open (day)`.
 *
 * Rule: datasets#apps, datasets#task-classifications, datasets#session-cost.
 */
import {
  appUrlPattern,
  leastAccounts,
  leastSessions,
  mostDailyApps,
  mostDailyTasks,
  mostSessionCells,
  privateHostPattern,
  privateTags,
  taskClassifier,
  taskPattern,
  turnRanges
} from "@gatewarden/core/internal"
import type { SqlClient, Statement } from "effect/sql"

export type DatasetName = "apps" | "tasks" | "sessions"

export interface Dataset {
  readonly name: DatasetName
  readonly table: string
  /** Columns of a cell beside `day`, in the order in which `cells` selects them. */
  readonly columns: string
  /** Days of a span, which is named after its first. */
  readonly days: 1 | 7
  /** The first key of the advisory lock under which one process at a time sums a span. */
  readonly lock: number
  /** Cells with their `day`, the first day of their span. */
  readonly cells: (sql: SqlClient.SqlClient) => Statement.Fragment
}

/** The events of the open days that public datasets count (Rule: usage#public-statistics). */
const reported = (sql: SqlClient.SqlClient, columns: Statement.Fragment) => sql`
  select (created_at at time zone 'UTC')::date as day, created_at, recorded_at, adjusts, ${columns}
  from gatewarden_usage_event
  where self_reported is not true and (endpoint_tag is null or not starts_with(endpoint_tag, ${privateTags}))
    and created_at >= (select min(day)::timestamp at time zone 'UTC' from open)
    and created_at < (select (max(day) + 1)::timestamp at time zone 'UTC' from open)
    and (created_at at time zone 'UTC')::date in (select day from open)`

/** Rows of `source` with their public app; the others are left out. */
const ofPublicApps = (sql: SqlClient.SqlClient, source: Statement.Fragment) => sql`
  select * from (
    select *, lower(substring(origin from ${appUrlPattern}) collate "C") as app from (${source}) as source where origin is not null
  ) as named where app is not null and app !~ ${privateHostPattern}`

/** Of apps beyond the most of a day nothing is kept: who sends events may name as many hosts as events. */
const appCells = (sql: SqlClient.SqlClient) => sql`
  select event.day, event.app, event.requests, event.tokens, event.recorded_at, event.named_at, event.name, category.categories
  from (
    select day, app, count(*) filter (where adjusts is null) as requests, sum(tokens) as tokens, max(recorded_at) as recorded_at,
      max(created_at) filter (where name is not null) as named_at,
      (array_agg(name order by created_at desc, name collate "C" desc) filter (where name is not null))[1] as name,
      row_number() over (partition by day order by sum(tokens) desc, app) as place
    from event group by day, app
  ) as event left join (
    select day, app, array_agg(distinct category) as categories
    from event cross join unnest(app_categories::text[]) as category group by day, app
  ) as category using (day, app)
  where event.place <= ${mostDailyApps}`

const sessionTurns = (sql: SqlClient.SqlClient) =>
  sql`case ${sql.join(
    " ",
    false
  )(turnRanges.toReversed().map(([, least]) => sql`when turns >= ${least} then ${least}::int`))} end`

const weights = "coalesce(sum(sample_weight) filter (where adjusts is null), 0)"

export const datasets: Readonly<Record<DatasetName, Dataset>> = {
  apps: {
    name: "apps",
    table: "gatewarden_app_cell",
    columns: "app, requests, tokens, recorded_at, named_at, name, categories",
    days: 1,
    // "gtda" in ASCII, as the next ones "gtdt" and "gtds".
    lock: 1_735_681_121,
    cells: (sql) => sql`
      select * from (
        with event as materialized (${ofPublicApps(
          sql,
          reported(sql, sql`prompt_tokens + completion_tokens as tokens, app as name, origin, app_categories`)
        )})
        ${appCells(sql)}
      ) as cell`
  },
  tasks: {
    name: "tasks",
    table: "gatewarden_task_cell",
    columns: "tag, requests, tokens, model, variant",
    days: 1,
    lock: 1_735_681_140,
    cells: (sql) => sql`
      select * from (
        select day, tag, ${sql.literal(weights)} as requests, sum(tokens * sample_weight) as tokens, model, variant,
          row_number() over (
            partition by day order by ${sql.literal(weights)} desc, tag, model collate "C", variant collate "C"
          ) as place
        from (${reported(
          sql,
          sql`(classifiers #>> array[${taskClassifier.id}, ${taskClassifier.dimension}]::text[]) collate "C" as tag,
            prompt_tokens + completion_tokens as tokens, coalesce(sample_weight, 1) as sample_weight, model, variant`
        )} and classifiers is not null) as event
        where tag ~ ${taskPattern}
        group by day, tag, model, variant
      ) as cell where place <= ${mostDailyTasks}`
  },
  sessions: {
    name: "sessions",
    table: "gatewarden_session_cell",
    columns: "app, name, model, variant, turns, median_nanos, recorded_at",
    days: 7,
    lock: 1_735_681_139,
    cells: (sql) => sql`
      select * from (
        with event as materialized (${ofPublicApps(
          sql,
          sql`${reported(
            sql,
            sql`app as name, origin, account_id, session_id, model, variant, cost_nanos::numeric + byok_cost_nanos as nanos`
          )} and session_id is not null`
        )}),
        session as (
          select app, model, variant, account_id, count(*) filter (where adjusts is null) as turns, sum(nanos) as nanos, max(recorded_at) as recorded_at
          from event group by app, model, variant, account_id, session_id
        ),
        account as (
          select app, model, variant, range, count(*) as sessions, max(recorded_at) as recorded_at,
            percentile_disc(0.5) within group (order by nanos) as nanos
          from (select *, ${sessionTurns(sql)} as range from session) as ranged
          group by app, model, variant, range, account_id
        ),
        called as (
          select app, (array_agg(name order by created_at desc, name collate "C" desc) filter (where name is not null))[1] as name
          from event group by app
        )
        select (select min(day) from open) as day, app, called.name, model, variant, cell.turns, median_nanos, recorded_at
        from (
          select app, model, variant, range as turns, max(recorded_at) as recorded_at,
            percentile_disc(0.5) within group (order by nanos) as median_nanos
          from account group by app, model, variant, range
          having count(*) >= ${leastAccounts} or (count(*) = 1 and sum(sessions) >= ${leastSessions})
          order by sum(sessions) desc, app, model collate "C", variant collate "C", range limit ${mostSessionCells}
        ) as cell join called using (app)
      ) as cell`
  }
}
