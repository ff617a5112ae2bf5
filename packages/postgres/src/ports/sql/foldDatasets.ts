/**
 * Sums spans of datasets once, so that a request reads a few cells in place of every event.
 *
 * A span is summed in one statement, hence from one snapshot, only while rankings have folded its days and nothing came late since; it
 * keeps which folds those were. An event that the statement does not see makes rankings fold its day again, under another id. So cells
 * that count always equal the events, whoever records or folds meanwhile.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Dataset, datasets } from "./datasetCells.ts"
import { tuned } from "./foldRankingDays.ts"

/** The folds of the days from `first` on that count, in order; null unless all of them do. */
const foldsOf = (sql: SqlClient.SqlClient, days: number, first: string) => sql`(
  select array_agg(d.fold_id order by d.day) from gatewarden_ranking_day d
  where d.day between ${sql.literal(first)} and ${sql.literal(first)} + ${sql.literal(String(days - 1))}
    and d.folded and d.day not in (select day from gatewarden_ranking_late)
  having count(*) = ${sql.literal(String(days))})`

/** The first days of spans between two days whose cells equal the events. */
export const summedSpans = (sql: SqlClient.SqlClient, { name, days }: Dataset, first: string, last: string) => sql`
  select span.day from gatewarden_dataset_span span
  where span.dataset = ${name} and span.day between ${first}::date and ${last}::date
    and span.fold_ids = ${foldsOf(sql, days, "span.day")}`

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
        and due.day not in (${summedSpans(sql, dataset, first, last)})
      order by due.day limit ${atMost}::int`,
    (rows) => rows.map((row) => String(row["day"]))
  )

/** Sums one span, unless another process does or its days do not count just now. */
const sumSpan = (sql: SqlClient.SqlClient, dataset: Dataset, first: string) =>
  Effect.gen(function* () {
    const { name, table, columns, days, lock } = dataset
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
      open as materialized (
        select (${first}::date + n)::date as day from generate_series(0, ${days - 1}) as n where exists (select from source)
      ),
      gone as (
        delete from ${sql(table)} where day = ${first}::date and exists (select from source)
      ),
      added as (
        insert into ${sql(table)} (day, ${sql.literal(columns)})
        select day, ${sql.literal(columns)} from (${dataset.cells(sql)}) as cell
      )
      insert into gatewarden_dataset_span (dataset, day, fold_ids)
      select ${name}, ${first}::date, folds from source
      on conflict (dataset, day) do update set fold_ids = excluded.fold_ids`
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

const dayMillis = 86_400_000

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
