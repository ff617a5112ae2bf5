import type { AppRankingsSort, RankedApp, SessionCost } from "@gatewarden/contract/internal"
import {
  type AppRankingsRequest,
  type DayWindow,
  type SampledSums,
  type SessionCostRequest,
  DatasetsReader,
  addDays,
  dayMillis,
  defaultAccountName,
  firstCountedDay,
  mostTaskModels,
  mostTasks,
  originOfApp,
  turnRanges,
  usdNumber,
  windowsBefore
} from "@gatewarden/core/internal"
import { Clock, Effect, Semaphore } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { appNumber } from "../statements/appNumber.ts"
import { publicModels } from "../statements/publicModels.ts"
import { type Dataset, datasets } from "../statements/datasetCells.ts"
import { foldDataset, foldOpenSpans, openSpansDue, summedSpans } from "../statements/foldDatasets.ts"
import { foldRankingDays, lastSettledDay, tuned } from "../statements/foldRankingDays.ts"
import { reading, readingMuch, writing } from "../statements/statements.ts"

type Row = Readonly<Record<string, unknown>>

const timeOf = (value: unknown): string | null => (value instanceof Date ? value.toISOString() : null)

const none = { digits: 0n, scale: 0 }

const decimalOf = (text: unknown) => {
  // Sums of many weights are longer than what is read of a request.
  const [whole = "", fraction = ""] = String(text).split(".")
  return /^\d+$/.test(whole) ? { digits: BigInt(whole + fraction), scale: fraction.length } : none
}

const sumsOf = (row: Row): SampledSums => ({
  requests: decimalOf(row["requests"]),
  tokens: decimalOf(row["tokens"])
})

export const datasetsReader = Effect.gen(function* () {
  const sql = yield* AnalyticsSql
  const main = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const folding = yield* Semaphore.make(1)
  const opening = yield* Semaphore.make(1)

  /**
   * The expression `cell` and those before it: of spans that are summed their cells, and what the events of all other days give. `first`
   * to `last` are the first days of spans, `end` is the last day.
   */
  const cells = (dataset: Dataset, first: string, last: string, end: string) => sql`
    summed as materialized (${summedSpans(sql, dataset, first, last)}),
    open as materialized (
      select days.day::date as day
      from generate_series(${first}::date::timestamp, ${end}::date::timestamp, interval '1 day') as days (day)
      where ${dataset.days === 1 ? sql`days.day::date not in (select day from summed)` : sql`not exists (select from summed)`}
    ),
    cell as materialized (
      select day, ${sql.literal(dataset.columns)} from ${sql(dataset.table)}
      where day between ${first}::date and ${last}::date and day in (select day from summed)
      union all
      select day, ${sql.literal(dataset.columns)} from (${dataset.cells(sql)}) as counted
    )`

  const read = (statement: Statement.Statement<Row>) =>
    readingMuch(Effect.andThen(tuned(sql), statement).pipe(sql.withTransaction))

  /**
   * Has open spans with many events summed before they are read: by one request, while the others wait, or behind an answer where the
   * cells still count. What fails leaves the events to the statement that follows.
   */
  const keepOpen = (dataset: Dataset, first: string, last: string) =>
    Effect.gen(function* () {
      // A day that is over is folded behind the answer. A week is one span, however many of its days are over.
      const open = addDays(lastSettledDay(yield* Clock.currentTimeMillis), 1)
      const from = dataset.days === 1 && first < open ? open : first
      if (from > last) return
      const due = yield* openSpansDue(sql, dataset, from, last)
      if (due === "none") return
      const summed = foldOpenSpans(sql, dataset, from, last)
      if (due === "missing") return yield* opening.withPermits(1)(summed)
      yield* Effect.forkIn(opening.withPermitsIfAvailable(1)(Effect.ignoreCause(summed)), scope)
    }).pipe(Effect.ignoreCause)

  /** Goes on after the answer, one at a time; what fails is tried again after the next one. */
  const foldLater = (dataset: Dataset, first: string, last: string) =>
    Effect.gen(function* () {
      const settled = lastSettledDay(yield* Clock.currentTimeMillis)
      const end = last < settled ? last : settled
      yield* foldRankingDays(sql, first, end).pipe(
        Effect.andThen(foldDataset(sql, dataset, first, end)),
        Effect.ignoreCause,
        folding.withPermitsIfAvailable(1),
        Effect.forkIn(scope)
      )
    })

  const weights: Readonly<Record<AppRankingsSort, string>> = {
    popular: "within",
    trending: `${windowsBefore} * within - before`
  }

  const rankApps = ({ first, last, sort, categories, limit, offset }: AppRankingsRequest, from: string) => sql`
    with ${cells(datasets.apps, from, last, last)},
    app as (
      select app, sum(requests) filter (where day >= ${first}::date) as requests,
        coalesce(sum(tokens) filter (where day >= ${first}::date), 0) as within,
        coalesce(sum(tokens) filter (where day < ${first}::date), 0) as before,
        (array_agg(name order by named_at desc, name collate "C" desc)
          filter (where name is not null and day >= ${first}::date))[1] as name
      from cell
      group by app
      having ${
        categories === undefined
          ? sql`true`
          : sql`bool_or(categories && ${categories}::text[]) filter (where day >= ${first}::date)`
      }
    ),
    ranked as (
      select *, row_number() over (order by ${sql.literal(weights[sort])} desc, app) as rank
      from app where ${sql.literal(weights[sort])} > 0
    )
    select changed_at, app, coalesce(name, app) as app_name, rank, requests, within::text as tokens
    from (select max(recorded_at) as changed_at from cell) as change
    left join lateral (select * from ranked order by rank limit ${limit}::int offset ${offset}::int) as shown on true
    order by rank`

  /** The numbers of apps, by host; those without one get theirs in the given order. */
  const numbersOf = Effect.fnUntraced(function* (hosts: readonly string[]) {
    if (hosts.length === 0) return new Map<string, number>()
    const [operator] = yield* reading(main<{ id: string }>`
      select id from gatewarden_account where name = ${defaultAccountName}`)
    const account_id = operator?.id ?? ""
    const origins = hosts.map(originOfApp)
    const known = yield* reading(main<{ id: number; callback_origin: string }>`
      select id, callback_origin from gatewarden_app
      where account_id = ${account_id}::uuid and callback_origin = any(${origins}::text[])`)
    const numbers = new Map(known.map(({ id, callback_origin }) => [callback_origin, id]))
    for (const origin of origins)
      if (!numbers.has(origin))
        numbers.set(origin, yield* writing(main.withTransaction(appNumber(main, account_id, origin))))
    return new Map(hosts.map((host) => [host, numbers.get(originOfApp(host)) ?? 0]))
  })

  const sumTasks = ({ first, last }: DayWindow) => sql`
    with ${cells(datasets.tasks, first, last, last)},
    counted as materialized (
      select tag, model, variant, sum(requests) as requests, sum(tokens) as tokens from cell group by tag, model, variant
    ),
    task as materialized (
      select tag, sum(requests) as requests, sum(tokens) as tokens from counted group by tag
      order by sum(requests) desc, tag limit ${mostTasks}
    ),
    named as (${publicModels(sql, "counted")}),
    model as (
      select tag, permaslug, requests, tokens,
        row_number() over (partition by tag order by requests desc, permaslug collate "C") as rank
      from counted join named using (model, variant) where tag in (select tag from task)
    )
    select tag, null as permaslug, requests::text as requests, tokens::text as tokens, requests as task_requests, 0 as rank from task
    union all
    select tag, permaslug, model.requests::text, model.tokens::text, task.requests, rank
    from model join task using (tag) where rank <= ${mostTaskModels}
    order by task_requests desc, tag, rank`

  const readSessions = ({ monday, app_slug, model, turn_range, limit, offset }: SessionCostRequest, sunday: string) => {
    const turns = turnRanges.find(([range]) => range === turn_range)?.[1]
    const filters = [
      ...(app_slug === undefined ? [] : [sql`app = ${app_slug}`]),
      ...(model === undefined ? [] : [sql`permaslug = ${model}`]),
      ...(turns === undefined ? [] : [sql`turns = ${turns}`])
    ]
    return sql`
      with ${cells(datasets.sessions, monday, monday, sunday)},
      named as (${publicModels(sql, "cell")}),
      published as materialized (select cell.*, permaslug from cell join named using (model, variant))
      select change.*, shown.*
      from (
        select greatest(max(recorded_at), (select max(listed_at) from gatewarden_model)) as changed_at, count(*) > 0 as is_published
        from published
      ) as change left join lateral (
        select app, coalesce(name, app) as app_name, permaslug, turns, median_nanos::text as median_nanos from published
        where ${filters.length === 0 ? sql`true` : sql.and(filters)}
        order by app, permaslug collate "C", turns limit ${limit}::int offset ${offset}::int
      ) as shown on true
      order by app, permaslug collate "C", turns`
  }

  const rangeOf = new Map(turnRanges.map(([range, least]) => [least, range]))

  return DatasetsReader.of({
    apps: (request) =>
      Effect.gen(function* () {
        const from = firstCountedDay(request.sort, request)
        yield* keepOpen(datasets.apps, from, request.last)
        const rows = yield* read(rankApps(request, from))
        const shown = rows.filter(({ app }) => app !== null)
        const numbers = yield* numbersOf(shown.map(({ app }) => String(app)))
        yield* foldLater(datasets.apps, from, request.last)
        return {
          rows: shown.map(({ app, app_name, rank, requests, tokens }): RankedApp => ({
            app_id: numbers.get(String(app)) ?? 0,
            app_name: String(app_name),
            rank: Number(rank),
            total_requests: Number(requests),
            total_tokens: String(tokens)
          })),
          changed_at: timeOf(rows[0]?.["changed_at"])
        }
      }),
    tasks: (days) =>
      Effect.gen(function* () {
        yield* keepOpen(datasets.tasks, days.first, days.last)
        const rows = yield* read(sumTasks(days))
        yield* foldLater(datasets.tasks, days.first, days.last)
        const modelsOf = (tag: unknown) =>
          rows.flatMap((row) =>
            row["tag"] === tag && row["permaslug"] !== null
              ? [{ model_permaslug: String(row["permaslug"]), ...sumsOf(row) }]
              : []
          )
        return rows.flatMap((row) =>
          row["permaslug"] === null ? [{ tag: String(row["tag"]), ...sumsOf(row), models: modelsOf(row["tag"]) }] : []
        )
      }),
    sessions: (request) =>
      Effect.gen(function* () {
        const sunday = new Date(Date.parse(request.monday) + 6 * dayMillis).toISOString().slice(0, 10)
        yield* keepOpen(datasets.sessions, request.monday, request.monday)
        const rows = yield* read(readSessions(request, sunday))
        yield* foldLater(datasets.sessions, request.monday, sunday)
        return {
          rows: rows.flatMap(({ app, app_name, permaslug, turns, median_nanos }): SessionCost[] => {
            const turn_range = rangeOf.get(Number(turns))
            return app === null || turn_range === undefined
              ? []
              : [
                  {
                    app_slug: String(app),
                    app_name: String(app_name),
                    model_permaslug: String(permaslug),
                    turn_range,
                    median_session_cost_usd: usdNumber(BigInt(String(median_nanos)))
                  }
                ]
          }),
          isPublished: rows[0]?.["is_published"] === true,
          changed_at: timeOf(rows[0]?.["changed_at"])
        }
      })
  })
})
