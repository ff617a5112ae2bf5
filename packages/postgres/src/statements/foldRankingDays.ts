/**
 * Sums days of usage events once, so that rankings read a few cells in place of every event.
 *
 * A fold changes no ranking: the migration that creates the tables says how cells and events stay equal. A fold has three steps: it claims
 * days, from when on recorders note late events; it sums them; it declares them folded, except those that were claimed again meanwhile.
 */
import { dayMillis, firstRankedDay } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** "gtrk" in ASCII: held shared by recorders for each day that they touch, exclusively while a fold begins. */
const recorders = 1_735_684_715
/** "gtfd" in ASCII: held while a day is summed, so that one process does it. */
const folders = 1_735_681_636

/** Batches of a day come for some time after its end; a day is folded once that is over. */
const settlesAfterMillis = 3_600_000
/** The last day that is folded, `YYYY-MM-DD`. */
export const lastSettledDay = (now: number): string =>
  new Date(now - settlesAfterMillis - dayMillis).toISOString().slice(0, 10)

/** Days that are folded together. */
const daysAtOnce = 4

/** Every day of the range that has no cells or only outdated ones, newest first. Days are `YYYY-MM-DD`, both inclusive. */
const unfoldedDays = (sql: SqlClient.SqlClient, first: string, last: string) =>
  Effect.map(
    sql`
      select to_char(day, 'YYYY-MM-DD') as day
      from generate_series(${first}::date::timestamp, ${last}::date::timestamp, interval '1 day') as days (day)
      where not exists (select from gatewarden_ranking_day d where d.day = days.day::date and d.folded)
        or exists (select from gatewarden_ranking_late l where l.day = days.day::date)
      order by days.day desc`,
    (rows) => rows.map((row) => String(row["day"]))
  )

/** Begins a fold of those days that nobody records or folds just now; undefined when there are none. A late note that is not seen here makes its day be folded again. */
const claim = (sql: SqlClient.SqlClient, days: readonly string[]) => sql`
  with fold as materialized (select gen_random_uuid() as id),
  locked as materialized (
    select day from unnest(${days}::date[]) as days (day)
    where pg_try_advisory_xact_lock(${folders}, gatewarden_ranking_lock(day))
      and pg_try_advisory_xact_lock(${recorders}, gatewarden_ranking_lock(day))
  ),
  seen as (
    delete from gatewarden_ranking_late using locked where gatewarden_ranking_late.day = locked.day
  )
  insert into gatewarden_ranking_day (day, fold_id, folded)
  select day, fold.id, false from locked, fold order by day
  on conflict (day) do update set fold_id = excluded.fold_id, folded = false
  returning fold_id`

/** For the rest of the transaction: compiling a statement would take longer than running it, and sums belong in memory. */
export const tuned = (sql: SqlClient.SqlClient) =>
  sql`select set_config('jit', 'off', true), set_config('work_mem', '32MB', true)`

/** What a request can filter by. */
const dimensions = "text, image, image_output, audio, tool_calling, context_bucket, category, language_type"

const sum = (sql: SqlClient.SqlClient, fold_id: string) =>
  Effect.gen(function* () {
    const by = sql.literal(dimensions)
    yield* tuned(sql)
    const rows = yield* sql`
      select to_char(day, 'YYYY-MM-DD') as day from gatewarden_ranking_day
      where fold_id = ${fold_id}::uuid and not folded
        and pg_try_advisory_xact_lock(${folders}, gatewarden_ranking_lock(day))`
    const days = rows.map((row) => String(row["day"]))
    if (days.length === 0) return
    yield* sql`delete from gatewarden_ranking_cell where kind in ('whole', 'part') and day = any(${days}::date[])`
    yield* sql`
      with day as (
        select day, day::timestamp at time zone 'UTC' as start, (day + 1)::timestamp at time zone 'UTC' as stop
        from unnest(${days}::date[]) as days (day)
      ),
      part as materialized (
        select day, model, variant, ${by}, sum(tokens) as tokens, sum(tokens * sample_weight) as weighted_tokens,
          max(recorded_at) as recorded_at
        from gatewarden_ranking_event
        where created_at >= (select min(start) from day) and created_at < (select max(stop) from day)
          and day = any(${days}::date[])
        group by day, model, variant, ${by}
      )
      insert into gatewarden_ranking_cell (kind, day, model, variant, tokens, weighted_tokens, recorded_at, ${by})
      select 'part', day, model, variant, tokens, weighted_tokens, recorded_at, ${by} from part
      union all
      select 'whole', day, model, variant, sum(tokens), sum(weighted_tokens), max(recorded_at),
        null, null, null, null, null, null, null, null
      from part group by day, model, variant`
    yield* sql`
      update gatewarden_ranking_day set folded = true where fold_id = ${fold_id}::uuid and day = any(${days}::date[])`
  }).pipe(sql.withTransaction)

/** Folds what is not folded between two days, both inclusive. A day that is being recorded, or folded elsewhere, is left. */
export const foldRankingDays = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  first: string,
  last: string
): Effect.fn.Return<void, SqlError.SqlError> {
  const days = yield* unfoldedDays(sql, first, last)
  for (let from = 0; from < days.length; from += daysAtOnce) {
    const [claimed] = yield* claim(sql, days.slice(from, from + daysAtOnce))
    if (claimed !== undefined) yield* sum(sql, String(claimed["fold_id"]))
  }
})

/**
 * Folds some of the days since the first event that are over and not folded, the oldest first. Answers how many it folded: 0 when
 * none is left but those that are being recorded, or folded elsewhere.
 */
export const foldOldestDays = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { now, keptSeconds, atMost }: { readonly now: number; readonly keptSeconds: number; readonly atMost: number }
): Effect.fn.Return<number, SqlError.SqlError> {
  // The day of that instant may be swept while this runs.
  const firstKept = new Date(now - keptSeconds * 1_000 + dayMillis).toISOString().slice(0, 10)
  const [first] = yield* sql<{ day: string | null }>`
    select to_char(min((created_at at time zone 'UTC')::date), 'YYYY-MM-DD') as day from gatewarden_usage_id
    where (created_at at time zone 'UTC')::date >= greatest(
      ${firstRankedDay > firstKept ? firstRankedDay : firstKept}::date, (gatewarden_usage_horizon() at time zone 'UTC')::date)`
  if (first === undefined || first.day === null) return 0
  const days = (yield* unfoldedDays(sql, first.day, lastSettledDay(now))).slice(-atMost)
  const [claimed] = days.length === 0 ? [] : yield* claim(sql, days)
  if (claimed === undefined) return 0
  yield* sum(sql, String(claimed["fold_id"]))
  return days.length
})
