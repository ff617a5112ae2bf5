import type { RankingRow } from "@gatewarden/contract"
import { RankingsReader, type RankingsRequest, otherModels, rankedModels } from "@gatewarden/core/internal"
import { Clock, Effect, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { coalesce } from "../statements/coalesce.ts"
import { foldRankingDays, lastSettledDay, tuned } from "../statements/foldRankingDays.ts"
import { publicModels } from "../statements/publicModels.ts"
import { reading, readingMuch, whetherEnclosed } from "../statements/statements.ts"

export const rankingsReader = Effect.gen(function* () {
  const sql = yield* AnalyticsSql
  const scope = yield* Effect.scope
  const folding = yield* Semaphore.make(1)
  const quick = yield* SqlClient.SqlClient

  /**
   * What a ranking of days stands on: the folds of the days, since a fold that is repeated has another id, and the catalog. Requests that
   * come while the statement runs share the next one, which begins after they came.
   */
  const editionOf = ({ first, last }: Pick<RankingsRequest, "first" | "last">) =>
    Effect.map(
      quick<{ edition: string | null }>`
        select case when days = ${last}::date - ${first}::date + 1
            and not exists (select from gatewarden_ranking_late where day between ${first}::date and ${last}::date)
          then folds || ' ' || (
            select coalesce(sum(hashtextextended(jsonb_build_array(id, slug, variant, canonical_slug, public, listed_at)::text, 0)), 0)
            from gatewarden_model
          ) end as edition
        from (
          select count(*) as days, md5(string_agg(fold_id::text, '' order by day)) as folds from gatewarden_ranking_day
          where folded and day between ${first}::date and ${last}::date
        ) ranked`,
      ([row]) => row?.edition ?? undefined
    )
  const editions = coalesce(
    (asked: readonly Pick<RankingsRequest, "first" | "last">[]) =>
      Effect.map(asked[0] === undefined ? Effect.undefined : editionOf(asked[0]), (edition) =>
        asked.map(() => edition)
      ),
    () => false
  )

  const isSampled = ({ category, language_type }: RankingsRequest): boolean =>
    category !== undefined || language_type !== undefined

  /** The expressions `folded`, `unfolded` and `counted`: tokens by bucket and name, from sums of days where there are some. */
  const counting = (request: RankingsRequest) => {
    const { period, first, last, modality, context_bucket, category, language_type } = request
    const sampled = isSampled(request)
    const filters = [
      ...(modality === undefined ? [] : [sql`${sql(modality)}`]),
      ...(context_bucket === undefined ? [] : [sql`context_bucket = ${context_bucket}`]),
      ...(category === undefined ? [] : [sql`(category = ${category} or starts_with(category, ${`${category}/`}))`]),
      ...(language_type === undefined ? [] : [sql`language_type = ${language_type}`])
    ]
    const kind = filters.length === 0 ? "whole" : "part"
    const counted = filters.length === 0 ? sql`true` : sql.and(filters)
    // A week of a sampled dataset belongs to the month of its Monday.
    const from = sampled ? sql`date_trunc('week', day::timestamp)` : sql`day::timestamp`
    const total = sampled ? sql`round(sum(weighted_tokens))` : sql`sum(tokens)`
    return sql`
      folded as materialized (
        select day from gatewarden_ranking_day
        where folded and day between ${first}::date and ${last}::date
          and day not in (select day from gatewarden_ranking_late)
      ),
      unfolded as materialized (
        select days.day::date as day
        from generate_series(${first}::date::timestamp, ${last}::date::timestamp, interval '1 day') as days (day)
        where days.day::date not in (select day from folded)
      ),
      counted as materialized (
        select date_trunc(${period}, ${from})::date as bucket, model, variant, ${total} as total,
          max(recorded_at) as recorded_at
        from (
          select day, model, variant, tokens, weighted_tokens, recorded_at
          from gatewarden_ranking_cell
          where kind = ${kind} and day between ${first}::date and ${last}::date and day in (select day from folded)
            and ${counted}
          union all
          select day, model, variant, tokens, tokens * sample_weight, recorded_at
          from gatewarden_ranking_event
          where created_at >= (select min(day)::timestamp at time zone 'UTC' from unfolded)
            and created_at < (select (max(day) + 1)::timestamp at time zone 'UTC' from unfolded)
            and day in (select day from unfolded) and ${counted}
        ) as source
        group by bucket, model, variant
        having ${total} > 0
      )`
  }

  const statement = (request: RankingsRequest) => sql`
      with ${counting(request)},
      named as (
        ${publicModels(sql, "counted")}
      ),
      ranked as materialized (
        select bucket, permaslug, total, recorded_at,
          row_number() over (partition by bucket order by total desc, permaslug collate "C") as rank
        from counted join named using (model, variant)
      ),
      shown as (
        select bucket, permaslug, total, rank from ranked where rank <= ${rankedModels}
        union all
        select bucket, ${otherModels}, sum(total), ${rankedModels} + 1 from ranked where rank > ${rankedModels} group by bucket
      )
      select changed_at, to_char(bucket, 'YYYY-MM-DD') as date, permaslug as model_permaslug, total::text as total_tokens
      from (
        select greatest((select max(recorded_at) from ranked), (select max(listed_at) from gatewarden_model)) as changed_at
      ) as change left join shown on true
      order by bucket, rank`

  /** Goes on after the answer, one at a time; what fails is tried again after the next one. */
  const foldLater = (request: RankingsRequest) =>
    Effect.gen(function* () {
      const lastSettled = lastSettledDay(yield* Clock.currentTimeMillis)
      const last = request.last < lastSettled ? request.last : lastSettled
      yield* foldRankingDays(sql, request.first, last).pipe(
        Effect.ignoreCause,
        folding.withPermitsIfAvailable(1),
        Effect.forkIn(scope)
      )
    })

  return RankingsReader.of({
    rank: (request) =>
      readingMuch(
        Effect.gen(function* () {
          yield* tuned(sql)
          return yield* statement(request)
        }).pipe(sql.withTransaction)
      ).pipe(
        Effect.map((rows) => {
          const changed_at = rows[0]?.["changed_at"]
          return {
            rows: rows.flatMap(({ date, model_permaslug, total_tokens }) =>
              date === null ? [] : [{ date, model_permaslug, total_tokens } as RankingRow]
            ),
            changed_at: changed_at instanceof Date ? changed_at.toISOString() : null
          }
        }),
        Effect.tap(() => foldLater(request))
      ),
    // A transaction of the host may see what it does not keep.
    edition: (days) => whetherEnclosed(() => Effect.undefined, reading(editions(`${days.first} ${days.last}`, days))),
    totals: ({ first, last }) =>
      readingMuch(
        Effect.gen(function* () {
          yield* tuned(sql)
          return yield* sql<{ slug: string; variant: string; tokens: string }>`
            with ${counting({ period: "day", first, last })}
            select model as slug, variant, sum(total)::text as tokens from counted group by model, variant`
        }).pipe(sql.withTransaction)
      ).pipe(Effect.map((rows) => rows.map(({ tokens, ...name }) => ({ ...name, tokens: BigInt(tokens) }))))
  })
})
