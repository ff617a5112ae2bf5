/** Folding days changes no ranking, whatever is recorded meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { foldRankingDays } from "../../postgres/src/statements/foldRankingDays.ts"
import { opensDays } from "@gatewarden/testkit/stores/usageTables"
import { runOnSchema } from "./runOnSchema.ts"

const onSchema = runOnSchema()

/** With partitions for the days of all tests. */
const run: typeof onSchema = (work) =>
  onSchema((sql) => Effect.andThen(sql.unsafe(opensDays("2025-01-01", "2026-12-31")), work(sql)))

/** Some events within hours after midnight of a day. */
const record = (sql: SqlClient.SqlClient, day: string, count: number) => sql`
  insert into gatewarden_usage_event
    (account_id, workspace_id, created_at, recorded_at, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
     tool_calls, cost_nanos, byok_cost_nanos, byok, guardrail_invoked, response_cached, id, status, model, variant, provider,
     context_length_bucket, sample_weight)
  select gen_random_uuid(), gen_random_uuid(), ${day}::timestamp at time zone 'UTC' + n * interval '1 hour', now(), n, 1, 0, 0,
    n % 2, 0, 0, false, false, false, 'event', 'ok', 'acme/m' || n % 3, '', 'acme', '1K', 0.5
  from generate_series(1, ${count}) as n`

/** Folded days without late notes whose cells are not their events, seen in one snapshot. */
const wrong = (sql: SqlClient.SqlClient) => sql`
  select day from gatewarden_ranking_day folded
  where folded and day not in (select day from gatewarden_ranking_late) and exists (
    select from unnest(array['whole', 'part']) as kinds (kind)
    where (
      select row (coalesce(sum(tokens), 0), coalesce(sum(weighted_tokens), 0)) from gatewarden_ranking_cell cell
      where cell.day = folded.day and cell.kind = kinds.kind
    ) is distinct from (
      select row (coalesce(sum(tokens), 0), coalesce(sum(tokens * sample_weight), 0)) from gatewarden_ranking_event event
      where event.day = folded.day
    )
  )`

const folded = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`
      select to_char(day, 'YYYY-MM-DD') as day from gatewarden_ranking_day
      where folded and day not in (select day from gatewarden_ranking_late) order by 1`,
    (rows) => rows.map((row) => row["day"])
  )

describe("foldRankingDays", () => {
  it("folds the days of a range, empty ones too, and again those for which something came late", () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* record(sql, "2025-02-27", 3)
        yield* foldRankingDays(sql, "2025-02-26", "2025-03-07")
        assert.strictEqual((yield* folded(sql)).length, 10)
        assert.deepEqual(yield* wrong(sql), [])
        const cells = yield* sql`
          select kind, count(*)::int4 as count, sum(tokens)::int4 as tokens, sum(weighted_tokens)::float8 as weighted
          from gatewarden_ranking_cell where day = '2025-02-27' group by kind order by kind`
        assert.deepEqual(cells, [
          { kind: "part", count: 3, tokens: 9, weighted: 4.5 },
          { kind: "whole", count: 3, tokens: 9, weighted: 4.5 }
        ])

        yield* record(sql, "2025-02-28", 1)
        yield* record(sql, "2025-03-08", 1)
        assert.notInclude(yield* folded(sql), "2025-02-28")
        assert.deepEqual(yield* wrong(sql), [])
        yield* foldRankingDays(sql, "2025-02-26", "2025-03-07")
        assert.strictEqual((yield* folded(sql)).length, 10)
        assert.deepEqual(yield* wrong(sql), [])
      })
    ))

  it("leaves a day that is being recorded", () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* record(sql, "2025-04-01", 1).pipe(
          Effect.andThen(runOutside((other) => foldRankingDays(other, "2025-04-01", "2025-04-02"))),
          sql.withTransaction
        )
        assert.notInclude(yield* folded(sql), "2025-04-01")
        assert.include(yield* folded(sql), "2025-04-02")
      })
    ))

  it("notes what is recorded on a snapshot from before the fold", () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* Effect.gen(function* () {
          yield* sql`set transaction isolation level repeatable read`
          yield* sql`select count(*) from gatewarden_ranking_day`
          yield* runOutside((other) => foldRankingDays(other, "2025-04-05", "2025-04-05"))
          yield* record(sql, "2025-04-05", 1)
        }).pipe(sql.withTransaction)
        assert.notInclude(yield* folded(sql), "2025-04-05")
      })
    ))

  it("cells equal events at every moment while many record and several fold", () =>
    run((sql) =>
      Effect.gen(function* () {
        const days = ["2025-05-01", "2025-05-02", "2025-05-03", "2025-05-04", "2025-05-05"]
        const recording = new Set([0, 1, 2])
        const recorder = Effect.fnUntraced(function* (number: number) {
          for (let turn = 0; turn < 60; turn++) {
            const pick = <T>(items: readonly T[]): T => items[(turn * 5 + number * 7) % items.length] as T
            const count = pick([1, 2, 20, 3])
            // Several days in any order, held open for a moment, sometimes given up.
            yield* Effect.gen(function* () {
              yield* sql.unsafe(
                `set transaction isolation level ${pick(["read committed", "repeatable read", "read committed", "serializable"])}`
              )
              yield* record(sql, pick(days), count)
              if (turn % 2 === 0) yield* record(sql, days[turn % 5] ?? "", count)
              yield* sql`select pg_sleep(${pick([0, 0.001, 0.004])}::float8)`
              if (turn % 7 === 0) return yield* Effect.fail("given up" as const)
            }).pipe(sql.withTransaction, Effect.ignore)
            // A day is folded only when nobody records it.
            yield* sql`select pg_sleep(${pick([0.002, 0.006])}::float8)`
          }
          recording.delete(number)
        })
        const folder = Effect.gen(function* () {
          while (recording.size > 0) yield* foldRankingDays(sql, "2025-05-01", "2025-05-05")
        })
        let looks = 0
        let folds = 0
        const watcher = Effect.gen(function* () {
          while (recording.size > 0) {
            assert.deepEqual(yield* wrong(sql), [])
            looks++
            folds += (yield* folded(sql)).filter((day) => String(day).startsWith("2025-05")).length
          }
        })
        yield* Effect.all([...[...recording].map(recorder), folder, folder, watcher], {
          concurrency: "unbounded"
        })
        const [recorded] = yield* sql`
          select count(*)::int4 as count from gatewarden_ranking_event where day between '2025-05-01' and '2025-05-05'`
        assert.isAbove(Number(recorded?.["count"]), 500)
        assert.isAbove(looks, 10)
        assert.isAbove(folds, 0)
        yield* foldRankingDays(sql, "2025-05-01", "2025-05-05")
        assert.deepEqual((yield* folded(sql)).slice(-5), days)
        assert.deepEqual(yield* wrong(sql), [])
      })
    ))
})

/** On another connection than that of the transaction around it. */
const runOutside = <A, E>(effect: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.promise(() => run(effect))
