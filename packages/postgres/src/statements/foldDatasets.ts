/**
 * Sums spans of datasets once, so that a request reads a few cells in place of every event.
 *
 * A span is summed in one statement, hence from one snapshot, only while rankings have folded its days and nothing came late since; it
 * keeps which folds those were. An event that the statement does not see makes rankings fold its day again, under another id. So cells
 * that count always equal the events, whoever records or folds meanwhile.
 *
 * An open span, which ends today or may still be recorded, has no folds. Where it has many events, its cells are summed for two minutes, so
 * that the cost of a request does not grow with the events of the day.
 *
 * Rule: datasets#freshness-of-datasets.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Dataset, datasets } from "./datasetCells.ts"
import { tuned } from "./foldRankingDays.ts"
import { dayMillis } from "@gatewarden/core/internal"

/** The folds of the days from `first` on that count, in order; null unless all of them do. */
const foldsOf = (sql: SqlClient.SqlClient, days: number, first: string) => sql`(
  select array_agg(d.fold_id order by d.day) from gatewarden_ranking_day d
  where d.day between ${sql.literal(first)} and ${sql.literal(first)} + ${sql.literal(String(days - 1))}
    and d.folded and d.day not in (select day from gatewarden_ranking_late)
  having count(*) = ${sql.literal(String(days))})`

/** The first days of spans between two days whose cells equal the events. */
const foldedSpans = (sql: SqlClient.SqlClient, { name, days }: Dataset, first: string, last: string) => sql`
  select span.day from gatewarden_dataset_span span
  where span.dataset = ${name} and span.day between ${first}::date and ${last}::date
    and span.fold_ids = ${foldsOf(sql, days, "span.day")}`

/** The same, and those of open spans that have many events, whose cells may be a little older. */
export const summedSpans = (sql: SqlClient.SqlClient, { name, days }: Dataset, first: string, last: string) => sql`
  select span.day from gatewarden_dataset_span span
  where span.dataset = ${name} and span.day between ${first}::date and ${last}::date
    and (span.open_until > now() or span.fold_ids = ${foldsOf(sql, days, "span.day")})`

/** An open span with more events is summed for all requests of two minutes; with fewer, each request reads the events. */
export const mostOpenEvents = 10_000

const openFor = "120 seconds"
/** Cells that count for less are summed anew, behind an answer. */
const renewedBefore = "60 seconds"

/** Spans that cannot be summed for good, have many events, and have no cells or old ones: whether those still count. */
const openSpans = (sql: SqlClient.SqlClient, { name, days }: Dataset, first: string, last: string) => sql<{
  day: string
  counts: boolean
}>`
  select to_char(span.day, 'YYYY-MM-DD') as day, coalesce(kept.open_until > now(), false) as counts
  from (
    select day::date as day
    from generate_series(${first}::date::timestamp, ${last}::date::timestamp, ${days} * interval '1 day') as days (day)
  ) as span
  left join gatewarden_dataset_span kept on kept.dataset = ${name} and kept.day = span.day
  where (kept.open_until > now() + ${renewedBefore}::interval) is not true
    and ${foldsOf(sql, days, "span.day")} is null
    and (
      select count(*) from (
        select from gatewarden_usage_event
        where self_reported is not true and created_at >= span.day::timestamp at time zone 'UTC'
          and created_at < (span.day + ${days}::int)::timestamp at time zone 'UTC'
        limit ${mostOpenEvents + 1}
      ) as read
    ) > ${mostOpenEvents}
  order by span.day`

/** Puts the cells of a span in the place of those before, where `source` has a row. */
const replacedCells = (sql: SqlClient.SqlClient, { table, columns, days, cells }: Dataset, first: string) => sql`
  open as materialized (
    select (${first}::date + n)::date as day from generate_series(0, ${days - 1}) as n where exists (select from source)
  ),
  gone as (
    delete from ${sql(table)} where day = ${first}::date and exists (select from source)
  ),
  added as (
    insert into ${sql(table)} (day, ${sql.literal(columns)})
    select day, ${sql.literal(columns)} from (${cells(sql)}) as cell
  )`

/** Sums an open span, unless another process has just done so. */
const sumOpenSpan = (sql: SqlClient.SqlClient, dataset: Dataset, first: string) =>
  Effect.gen(function* () {
    const { name, days, lock } = dataset
    yield* tuned(sql)
    yield* sql`select pg_advisory_xact_lock(${lock}, gatewarden_ranking_lock(${first}::date))`
    // A statement of its own, whose snapshot is younger than the lock.
    yield* sql`
      with source as materialized (
        select from (select ${first}::date as day) as asked
        where ${foldsOf(sql, days, "asked.day")} is null and not exists (
          select from gatewarden_dataset_span kept
          where kept.dataset = ${name} and kept.day = asked.day and kept.open_until > now() + ${renewedBefore}::interval
        )
      ),
      ${replacedCells(sql, dataset, first)}
      insert into gatewarden_dataset_span (dataset, day, fold_ids, open_until)
      select ${name}, ${first}::date, '{}', now() + ${openFor}::interval from source
      on conflict (dataset, day) do update set fold_ids = excluded.fold_ids, open_until = excluded.open_until`
  }).pipe(sql.withTransaction)

/** Whether open spans between two days lack cells (`missing`), or have only old ones (`old`). */
export const openSpansDue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  dataset: Dataset,
  first: string,
  last: string
): Effect.fn.Return<"none" | "old" | "missing", SqlError.SqlError> {
  const due = yield* openSpans(sql, dataset, first, last)
  return due.length === 0 ? "none" : due.every(({ counts }) => counts) ? "old" : "missing"
})

/** Sums the open spans between two days that have many events and no cells or old ones. */
export const foldOpenSpans = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  dataset: Dataset,
  first: string,
  last: string
): Effect.fn.Return<void, SqlError.SqlError> {
  for (const { day } of yield* openSpans(sql, dataset, first, last)) yield* sumOpenSpan(sql, dataset, day)
})

/** First days of spans that can be summed and are not, the oldest first. Days are `YYYY-MM-DD`, both inclusive. */
const dueSpans = (sql: SqlClient.SqlClient, dataset: Dataset, first: string, last: string, atMost: number) =>
  Effect.map(
    sql`
      select to_char(due.day, 'YYYY-MM-DD') as day
      from (
        select day from gatewarden_ranking_day
        where folded and day between ${first}::date and ${last}::date
          and (${dataset.days} = 1 or extract(isodow from day) = 1)
      ) as due
      where ${foldsOf(sql, dataset.days, "due.day")} is not null
        and due.day not in (${foldedSpans(sql, dataset, first, last)})
      order by due.day limit ${atMost}::int`,
    (rows) => rows.map((row) => String(row["day"]))
  )

/** Sums one span, unless another process does or its days do not count just now. */
const sumSpan = (sql: SqlClient.SqlClient, dataset: Dataset, first: string) =>
  Effect.gen(function* () {
    const { name, days, lock } = dataset
    yield* tuned(sql)
    const [turn] = yield* sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${lock}, gatewarden_ranking_lock(${first}::date)) as mine`
    if (turn?.mine !== true) return
    // A statement of its own, whose snapshot is younger than the lock.
    yield* sql`
      with source as materialized (
        select due.folds from (select ${first}::date as day) as asked
        cross join lateral (select ${foldsOf(sql, days, "asked.day")} as folds) as due where due.folds is not null
      ),
      ${replacedCells(sql, dataset, first)}
      insert into gatewarden_dataset_span (dataset, day, fold_ids)
      select ${name}, ${first}::date, folds from source
      on conflict (dataset, day) do update set fold_ids = excluded.fold_ids, open_until = null`
  }).pipe(sql.withTransaction)

/** Sums what is not summed of a dataset between two days. */
export const foldDataset = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  dataset: Dataset,
  first: string,
  last: string,
  atMost = 1_000
): Effect.fn.Return<number, SqlError.SqlError> {
  const due = yield* dueSpans(sql, dataset, first, last, atMost)
  for (const day of due) yield* sumSpan(sql, dataset, day)
  return due.length
})

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Tasks and sessions are read of the last days alone. */
const recentDays = 15

/** Sums some of the spans since the oldest folded day that is kept: 0 when none is left. */
export const foldOldestSpans = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { now, keptSeconds, atMost }: { readonly now: number; readonly keptSeconds: number; readonly atMost: number }
): Effect.fn.Return<number, SqlError.SqlError> {
  const today = dayOf(now)
  const recent = dayOf(now - recentDays * dayMillis)
  const kept = dayOf(now - keptSeconds * 1_000 + dayMillis)
  let summed = 0
  for (const dataset of Object.values(datasets)) {
    const first = dataset.name === "apps" || kept > recent ? kept : recent
    summed += yield* foldDataset(sql, dataset, first, today, atMost)
  }
  return summed
})
