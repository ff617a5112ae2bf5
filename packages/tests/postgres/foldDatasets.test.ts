/** Summing spans changes no dataset, whatever is recorded meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { mostDailyApps } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { datasets } from "../../postgres/src/statements/datasetCells.ts"
import {
  foldDataset,
  foldOldestSpans,
  foldOpenSpans,
  mostOpenEvents,
  openSpansDue,
  summedSpans
} from "../../postgres/src/statements/foldDatasets.ts"
import { foldRankingDays } from "../../postgres/src/statements/foldRankingDays.ts"
import { opensDays } from "@gatewarden/testkit/stores/usageTables"
import { runOnSchema } from "./runOnSchema.ts"

const onSchema = runOnSchema()

/** With partitions for the days of all tests. */
const run: typeof onSchema = (work) =>
  onSchema((sql) => Effect.andThen(sql.unsafe(opensDays("2025-01-01", "2026-12-31")), work(sql)))

/** Events of one app, each of a task and in a session of its own, within hours after midnight of a day. */
const record = (sql: SqlClient.SqlClient, day: string, count: number) => sql`
  insert into gatewarden_usage_event
    (account_id, workspace_id, created_at, recorded_at, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
     tool_calls, cost_nanos, byok_cost_nanos, byok, guardrail_invoked, response_cached, id, status, model, variant, provider,
     context_length_bucket, sample_weight, origin, session_id, classifiers)
  select gen_random_uuid(), gen_random_uuid(), ${day}::timestamp at time zone 'UTC' + n * interval '1 hour', now(), n, 1, 0, 0,
    0, n, 0, false, false, false, 'event', 'ok', 'acme/m', '', 'acme', '1K', 0.5, 'https://app.example',
    'session ' || n, '{"task":{"tag":"code:x"}}'
  from generate_series(1, ${count}) as n`

const { apps, tasks, sessions } = datasets

/** Days of summed spans whose cells are not their events, in one snapshot. */
const wrong = (sql: SqlClient.SqlClient) => sql`
  select span.day, counted.* from (
    select 'apps' as dataset, day from (${summedSpans(sql, apps, "2025-01-01", "2025-12-31")}) as span
    union all
    select 'tasks', day from (${summedSpans(sql, tasks, "2025-01-01", "2025-12-31")}) as span
  ) as span cross join lateral (
    select count(*) as events, coalesce(sum(prompt_tokens + completion_tokens), 0) as tokens from gatewarden_usage_event
    where (created_at at time zone 'UTC')::date = span.day
  ) as counted
  where case dataset
    when 'apps' then row (counted.events, counted.tokens) is distinct from (
      select row (coalesce(sum(requests), 0)::bigint, coalesce(sum(tokens), 0)) from gatewarden_app_cell cell where cell.day = span.day)
    else row (counted.events * 0.5, counted.tokens * 0.5) is distinct from (
      select row (coalesce(sum(requests), 0), coalesce(sum(tokens), 0)) from gatewarden_task_cell cell where cell.day = span.day)
  end`

const summed = (sql: SqlClient.SqlClient, dataset: (typeof datasets)["apps"]) =>
  Effect.map(summedSpans(sql, dataset, "2025-01-01", "2025-12-31"), ({ length }) => length)

describe("foldDataset", () => {
  it("sums the days that rankings have folded, and again those for which something came late", () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* record(sql, "2025-02-27", 3)
        assert.strictEqual(yield* foldDataset(sql, apps, "2025-02-26", "2025-03-01"), 0, "nothing is folded yet")
        yield* foldRankingDays(sql, "2025-02-26", "2025-03-01")
        assert.strictEqual(yield* foldDataset(sql, apps, "2025-02-26", "2025-03-01"), 4)
        assert.strictEqual(yield* foldDataset(sql, apps, "2025-02-26", "2025-03-01"), 0)
        assert.deepEqual(yield* wrong(sql), [])

        yield* record(sql, "2025-02-27", 2)
        assert.strictEqual(yield* summed(sql, apps), 3)
        assert.strictEqual(yield* foldDataset(sql, apps, "2025-02-26", "2025-03-01"), 0, "the day does not count")
        yield* foldRankingDays(sql, "2025-02-26", "2025-03-01")
        assert.strictEqual(yield* summed(sql, apps), 3, "folded anew, and other events")
        assert.strictEqual(yield* foldDataset(sql, apps, "2025-02-26", "2025-03-01"), 1)
        assert.strictEqual(yield* summed(sql, apps), 4)
        assert.deepEqual(yield* wrong(sql), [])
        const cells = yield* sql`select requests::int4 as requests, tokens::int4 as tokens from gatewarden_app_cell`
        assert.deepEqual(cells, [{ requests: 5, tokens: 14 }])
      })
    ))

  it("sums a week once all of its days are folded", () =>
    run((sql) =>
      Effect.gen(function* () {
        for (const day of ["2025-03-10", "2025-03-16"]) yield* record(sql, day, 6)
        yield* foldRankingDays(sql, "2025-03-10", "2025-03-15")
        assert.strictEqual(yield* foldDataset(sql, sessions, "2025-03-10", "2025-03-16"), 0)
        yield* foldRankingDays(sql, "2025-03-16", "2025-03-16")
        assert.strictEqual(yield* foldDataset(sql, sessions, "2025-03-10", "2025-03-16"), 1)
        assert.deepEqual(
          yield* sql`select turns, median_nanos::int4 as nanos from gatewarden_session_cell where day = '2025-03-10'`,
          [{ turns: 1, nanos: 3 }]
        )
        yield* record(sql, "2025-03-12", 1)
        assert.strictEqual(yield* summed(sql, sessions), 0)
      })
    ))

  it(
    "sums a span that is not over where it has many events, once for all who ask for two minutes",
    { tags: ["deep"] },
    () =>
      run((sql) =>
        Effect.gen(function* () {
          const day = ["2025-07-07", "2025-07-07"] as const
          const counting = (dataset: typeof apps) =>
            Effect.map(summedSpans(sql, dataset, ...day), ({ length }) => length)
          const many = (count: number) => sql`
          insert into gatewarden_usage_event
          select (json_populate_record(e, json_build_object('id', 'many ' || n))).*
          from (select e from gatewarden_usage_event e where created_at >= '2025-07-07' and created_at < '2025-07-08' limit 1) as one,
            generate_series(1, ${count}) as n`
          const requests = Effect.map(
            sql`select coalesce(sum(requests), 0)::int4 as requests from gatewarden_app_cell where day = '2025-07-07'`,
            ([row]) => row?.["requests"]
          )
          yield* record(sql, "2025-07-07", 1)
          yield* many(mostOpenEvents - 1)
          assert.strictEqual(yield* openSpansDue(sql, apps, ...day), "none", "so few are read by each request")
          assert.strictEqual(yield* counting(apps), 0)
          yield* record(sql, "2025-07-07", 1)
          for (const dataset of [apps, sessions]) {
            assert.strictEqual(yield* openSpansDue(sql, dataset, ...day), "missing")
            yield* Effect.all(
              Array.from({ length: 4 }, () => foldOpenSpans(sql, dataset, ...day)),
              { concurrency: 4 }
            )
            assert.strictEqual(yield* openSpansDue(sql, dataset, ...day), "none")
            assert.strictEqual(yield* counting(dataset), 1)
          }
          assert.strictEqual(yield* requests, mostOpenEvents + 1)
          yield* record(sql, "2025-07-07", 5)
          yield* foldOpenSpans(sql, apps, ...day)
          assert.strictEqual(yield* requests, mostOpenEvents + 1, "no sooner than a minute later")
          yield* sql`update gatewarden_dataset_span set open_until = now() + interval '59 seconds' where day = '2025-07-07'`
          assert.strictEqual(yield* openSpansDue(sql, apps, ...day), "old")
          yield* foldOpenSpans(sql, apps, ...day)
          assert.strictEqual(yield* requests, mostOpenEvents + 6)
          yield* sql`update gatewarden_dataset_span set open_until = now() where day = '2025-07-07'`
          assert.strictEqual(yield* counting(apps), 0)
          yield* foldOpenSpans(sql, apps, ...day)
          yield* foldRankingDays(sql, ...day)
          assert.strictEqual(yield* foldDataset(sql, apps, ...day), 1, "what was open is summed for good")
          assert.deepEqual(
            yield* sql`select open_until from gatewarden_dataset_span where dataset = 'apps' and day = '2025-07-07'`,
            [{ open_until: null }]
          )
          assert.strictEqual(yield* openSpansDue(sql, apps, ...day), "none")
        })
      )
  )

  it("keeps the apps with the most tokens of a day in which there are very many", { tags: ["deep"] }, () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* record(sql, "2026-01-12", 1)
        yield* sql`
          insert into gatewarden_usage_event
          select (json_populate_record(e, json_build_object('id', 'host ' || n, 'origin', 'https://a' || n || '.example', 'prompt_tokens', n))).*
          from (select e from gatewarden_usage_event e where created_at >= '2026-01-12' and created_at < '2026-01-13' limit 1) as one,
            generate_series(2, ${mostDailyApps + 1}) as n`
        yield* foldRankingDays(sql, "2026-01-12", "2026-01-12")
        yield* foldDataset(sql, apps, "2026-01-12", "2026-01-12")
        const cells = (app: string) =>
          Effect.map(
            sql`select from gatewarden_app_cell where day = '2026-01-12' and app like ${app}`,
            ({ length }) => length
          )
        assert.strictEqual(yield* cells("%"), mostDailyApps)
        assert.strictEqual(yield* cells("app.example"), 0, "the one with the fewest tokens")
      })
    )
  )

  it("is done by background work, the oldest day first, until nothing is left", () =>
    run((sql) =>
      Effect.gen(function* () {
        yield* record(sql, "2025-06-02", 3)
        yield* foldRankingDays(sql, "2025-06-01", "2025-06-05")
        const now = Date.parse("2025-06-06T12:00:00.000Z")
        const bounds = { now, keptSeconds: 6 * 86_400, atMost: 2 }
        let turns = 0
        while ((yield* foldOldestSpans(sql, bounds)) > 0) turns++
        assert.strictEqual(turns, 3)
        const of = (dataset: typeof apps) =>
          Effect.map(summedSpans(sql, dataset, "2025-06-01", "2025-06-06"), ({ length }) => length)
        assert.strictEqual(yield* of(apps), 5)
        assert.strictEqual(yield* of(tasks), 5)
      })
    ))

  it("cells equal events at every moment while many record and several fold", () =>
    run((sql) =>
      Effect.gen(function* () {
        const days = ["2025-05-05", "2025-05-06", "2025-05-07"]
        const recording = new Set([0, 1, 2])
        let seen = 0
        const recorder = Effect.fnUntraced(function* (number: number) {
          for (let turn = 0; turn < 20; turn++) {
            const day = days[(turn * 5 + number * 7) % days.length] ?? ""
            yield* Effect.gen(function* () {
              if (turn % 3 === 0) yield* sql`set transaction isolation level repeatable read`
              yield* record(sql, day, 1 + (turn % 3))
              yield* sql`select pg_sleep(${(turn % 4) / 1_000}::float8)`
              if (turn % 7 === 0) return yield* Effect.fail("given up" as const)
            }).pipe(sql.withTransaction, Effect.ignore)
            // Until cells counted once more: all recorders wait at some time.
            if (turn % 4 !== 3) continue
            const before = seen
            const hasSeenMore = () => seen > before
            while (!hasSeenMore()) yield* sql`select pg_sleep(0.002)`
          }
          recording.delete(number)
        })
        const folder = Effect.gen(function* () {
          while (recording.size > 0) {
            yield* foldRankingDays(sql, "2025-05-05", "2025-05-07")
            for (const dataset of [apps, tasks]) yield* foldDataset(sql, dataset, "2025-05-05", "2025-05-07")
          }
        })
        const watcher = Effect.gen(function* () {
          while (recording.size > 0) {
            assert.deepEqual(yield* wrong(sql), [])
            seen += (yield* summedSpans(sql, apps, "2025-05-05", "2025-05-07")).length
          }
        })
        yield* Effect.all([...[...recording].map(recorder), folder, folder, watcher], { concurrency: "unbounded" })
        assert.isAbove(seen, 0)
        yield* foldRankingDays(sql, "2025-05-05", "2025-05-07")
        for (const dataset of [apps, tasks]) yield* foldDataset(sql, dataset, "2025-05-05", "2025-05-07")
        assert.deepEqual(yield* wrong(sql), [])
      })
    ))
})
