/**
 * Sweeps: each a statement that deletes a bounded number of rows and waits for nobody. Rows that someone works on stay for the next.
 *
 * Tables with an index by account are searched account by account, so that a sweep reads no more than it deletes.
 */
import { type Retained, Retention } from "@gatewarden/core/store"
import { Clock, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { keptFrom } from "../functions/intervals.ts"
import { acts } from "../statements/acting.ts"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { instantIn, writing } from "../statements/statements.ts"
import { keepUsage } from "../statements/keepUsage.ts"
import { foldOldestSpans } from "../statements/foldDatasets.ts"
import { foldOldestDays } from "../statements/foldRankingDays.ts"

type Counted = { readonly swept: number }

/** `before`: rows that ended before this instant go. */
type Sweep = (before: Statement.Fragment, atMost: number) => Statement.Statement<Counted>

/** The sweep of a table that has an index of the instant at which its rows ended. */
const sweepEnded =
  (sql: SqlClient.SqlClient, table: string, ended: string, where = "true"): Sweep =>
  (before, atMost) =>
    sql`
    ${acts.with} gone as (
      delete from ${sql.literal(table)} where ctid = any (array(
        select ctid from ${sql.literal(table)} where ${sql.literal(where)} and ${sql.literal(ended)} < ${before}
        order by ${sql.literal(ended)} limit ${atMost}::int for update skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`

const sweepsOf = (sql: SqlClient.SqlClient): Readonly<Record<Retained, Sweep>> => ({
  idempotency_records: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_idempotency_record where ctid = any (array(
        select ctid from gatewarden_idempotency_record where until < extract(epoch from ${before}) * 1000
        order by until limit ${atMost}::int for update skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`,
  authorization_codes: sweepEnded(sql, "gatewarden_authorization_code", "expires_at", "spent_at is null"),
  // A key goes when it has expired; that its token was used is known for as long as the token lives.
  token_exchanges: (before, atMost) => sql`
    ${acts.with} ended as materialized (
      select account_id, use_id, key_hash from gatewarden_token_exchange
      where key_hash is not null and key_ends_at < ${before}
      order by key_ends_at limit ${atMost}::int for update skip locked
    ), keys as (
      delete from gatewarden_api_key k using ended e where k.hash = e.key_hash and k.account_id = e.account_id
    ), cleared as (
      update gatewarden_token_exchange t set key_hash = null from ended e
      where t.account_id = e.account_id and t.use_id = e.use_id returning 1
    ), gone as (
      delete from gatewarden_token_exchange where ctid = any (array(
        select ctid from gatewarden_token_exchange where key_hash is null and ends_at < ${before}
        order by ends_at limit ${atMost}::int for update skip locked
      )) returning 1
    ) select ((select count(*) from cleared) + (select count(*) from gone))::int as swept`,
  request_counts: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_rate_limit where bucket = any (array(
        select bucket from gatewarden_rate_limit
        where coalesce(times[cardinality(times)], 0) < extract(epoch from ${before}) * 1000
        limit ${atMost}::int for update skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`,
  key_admissions: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_key_admission where admission_id = any (array(
        select admission_id from gatewarden_key_admission
        where admitted_at < ${before} - interval '1 minute' and (not is_open or expires_at < ${before})
        limit ${atMost}::int for update skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`,
  // A list notes within a day that a hold uses it. Two days later than its holds, no hold refers to it.
  holds: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_hold where admission_id = any (array(
        select h.admission_id from gatewarden_account a cross join lateral (
          select admission_id from gatewarden_hold
          where account_id = a.id and state <> 'open' and held_at < ${before}
          order by held_at limit ${atMost}::int for update skip locked
        ) h limit ${atMost}::int
      )) returning 1
    ), lists as (
      delete from gatewarden_budget_list where id = any (array(
        select id from gatewarden_budget_list l
        where used_at < ${before} - interval '2 days' and not exists (
          select from gatewarden_hold h where h.account_id = l.account_id and h.state = 'open' and h.budget_list_id = l.id
        ) and not exists (
          select from gatewarden_hold h
          where h.account_id = l.account_id and h.state <> 'open' and h.held_at < ${before} and h.budget_list_id = l.id
        )
        limit ${atMost}::int for update skip locked
      )) returning 1
    ) select ((select count(*) from gone) + (select count(*) from lists))::int as swept`,
  // What holds nothing is made again from kept sums when somebody asks.
  budget_windows: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_budget_window where id = any (array(
        select w.id from gatewarden_account a cross join lateral (
          select id from gatewarden_budget_window
          where account_id = a.id and window_end < 'infinity' and window_end < ${before}
          order by window_end limit ${atMost}::int for update skip locked
        ) w limit ${atMost}::int
      )) returning 1
    ), orphans as (
      delete from gatewarden_budget_window where id = any (array(
        select w.id from gatewarden_budget_window w
        where w.window_end = 'infinity' and w.held_nanos = 0 and w.full_held_nanos = 0 and (
          w.spender = 'key' and not exists (select from gatewarden_api_key k where k.hash = w.entity)
          or w.spender = 'workspace' and not exists (select from gatewarden_workspace p where p.id::text = w.entity)
        )
        limit ${atMost}::int for update of w skip locked
      )) returning 1
    ) select ((select count(*) from gone) + (select count(*) from orphans))::int as swept`,
  // A warning that is deleted while its window lasts would be given again.
  budget_warnings: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_budget_warning where id = any (array(
        select w.id from gatewarden_account a cross join lateral (
          select id from gatewarden_budget_warning b
          where account_id = a.id and created_at < ${before} and (
            isfinite(window_start)
            or scope = 'key' and not exists (select from gatewarden_api_key k where k.hash = b.entity)
            or not exists (select from gatewarden_workspace p where p.id = b.workspace_id)
            or guardrail_id is not null and not exists (select from gatewarden_guardrail g where g.id = b.guardrail_id)
          )
          order by created_at, id limit ${atMost}::int for update skip locked
        ) w limit ${atMost}::int
      )) returning 1
    ), counts as (
      delete from gatewarden_stored_amount where id = any (array(
        select s.id from gatewarden_stored_amount s
        where s.workspace_id <> '00000000-0000-0000-0000-000000000000'
          and not exists (select from gatewarden_workspace p where p.id = s.workspace_id)
          and not exists (select from gatewarden_guardrail g where g.id = s.workspace_id)
          and (s.kind <> 'warning' or not exists (
            select from gatewarden_budget_warning b where b.account_id = s.account_id and b.workspace_id = s.workspace_id
          ))
          and (s.kind <> 'alert' or not exists (
            select from gatewarden_alert b where b.account_id = s.account_id and b.workspace_id = s.workspace_id
          ))
        limit ${atMost}::int for update of s skip locked
      )) returning 1
    ) select ((select count(*) from gone) + (select count(*) from counts))::int as swept`,
  // While a destination goes on failing, its alert is kept, because it would be given again.
  alerts: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_alert where id = any (array(
        select a.id from gatewarden_alert a
        where a.created_at < ${before} and not case when a.type = 'destination.failing' then exists (
          select from gatewarden_delivery_state s
          where s.destination_id = a.subject::uuid and s.account_id = a.account_id
            and a.crossing in (
              floor(extract(epoch from s.failing_since) * 1000)::bigint::text, floor(extract(epoch from s.refusing_since) * 1000)::bigint::text
            )
        ) else false end
        order by a.created_at limit ${atMost}::int for update of a skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`,
  // The oldest of each account's chain, whose end is kept: the hash of the last one that goes. Erasures are told of as long as they are.
  changes: (before, atMost) => sql`
    ${acts.with} turn as materialized (
      select pg_advisory_xact_lock(hashtextextended('gatewarden_changes seal', 0))
    ), due as materialized (
      select a.owner from turn cross join gatewarden_audit_chain a
      where (select s.at from gatewarden_audit_seal s where s.owner = a.owner order by s.position limit 1) < ${before}
      limit ${atMost}::int
    ), oldest as materialized (
      select o.*, bool_and(o.at < ${before}) over (partition by o.owner order by o.position) as is_due
      from due cross join lateral (
        select s.owner, s.position, s.xact, s.seq, s.at, s.hash from gatewarden_audit_seal s
        where s.owner = due.owner order by s.position limit ${atMost}::int
      ) o
    ), going as materialized (
      select * from oldest where is_due order by owner, position limit ${atMost}::int
    ), seals as (
      delete from gatewarden_audit_seal s using going g where s.owner = g.owner and s.position = g.position
    ), rows as (
      delete from gatewarden_changes c using going g where c.xact = g.xact and c.seq = g.seq
    ), begun as (
      update gatewarden_audit_chain a set pruned_position = last.position, pruned_hash = last.hash
      from (select distinct on (owner) owner, position, hash from going order by owner, position desc) last
      where a.owner = last.owner
    ), erasures as (
      delete from gatewarden_erasure where id = any (array(
        select id from gatewarden_erasure where finished_at < ${before}
        order by finished_at limit ${atMost}::int for update skip locked
      )) returning 1
    ) select ((select count(*) from going) + (select count(*) from erasures))::int as swept`,
  deleted_keys: sweepEnded(sql, "gatewarden_deleted_key", "deleted_at"),
  key_secrets: sweepEnded(sql, "gatewarden_key_secret", "ends_at"),
  generation_feedback: sweepEnded(sql, "gatewarden_generation_feedback", "given_at"),
  // Of a deleted workspace all go, whatever their age; the workspaces are found one by one in their index.
  generation_contents: (before, atMost) => sql`
    with recursive kept as (
      (select workspace_id from gatewarden_generation_content order by workspace_id limit 1)
      union all
      select (
        select c.workspace_id from gatewarden_generation_content c
        where c.workspace_id > kept.workspace_id order by c.workspace_id limit 1
      ) from kept where kept.workspace_id is not null
    ), gone as (
      delete from gatewarden_generation_content where ctid = any (array(
        select ctid from gatewarden_generation_content where recorded_at < ${before}
        order by recorded_at limit ${atMost}::int for update skip locked
      ) || array(
        select c.ctid from gatewarden_generation_content c
        where c.workspace_id in (
          select k.workspace_id from kept k
          where k.workspace_id is not null and not exists (select from gatewarden_workspace w where w.id = k.workspace_id)
        )
        limit ${atMost}::int for update of c skip locked
      )) returning 1
    ) select count(*)::int as swept from gone`,
  // The oldest rows are those that were committed first, as near as matters.
  deliveries: (before, atMost) => sql`
    with oldest as materialized (
      select xact, seq, recorded_at from gatewarden_delivery order by xact, seq limit ${atMost}::int for update skip locked
    ), gone as (
      delete from gatewarden_delivery r using oldest o
      where r.xact = o.xact and r.seq = o.seq and o.recorded_at < ${before} returning 1
    ) select count(*)::int as swept from gone`,
  delivery_attempts: sweepEnded(sql, "gatewarden_delivery_attempt", "ended_at"),
  dead_letters: sweepEnded(sql, "gatewarden_dead_letter", "died_at"),
  unfinished_imports: (before, atMost) => sql`
    with gone as (
      delete from gatewarden_usage_batch where id = any (array(
        select id from gatewarden_usage_batch where touched_at < ${before} limit ${atMost}::int for update skip locked
      )) returning id
    ), staged as (
      delete from gatewarden_usage_staging where batch_id in (select id from gone)
    ) select count(*)::int as swept from gone`,
  // The day's lock is the one that folds take.
  ranking_days: (before, atMost) => sql`
    with past as materialized (
      select day from gatewarden_ranking_day
      where day < (${before} at time zone 'UTC')::date and pg_try_advisory_xact_lock(1735681636, gatewarden_ranking_lock(day))
      order by day limit ${atMost}::int
    ), cells as (
      delete from gatewarden_ranking_cell using past where gatewarden_ranking_cell.day = past.day
    ), late as (
      delete from gatewarden_ranking_late where day < (${before} at time zone 'UTC')::date
    ), spans as (
      delete from gatewarden_dataset_span where day <= (select max(day) from past)
    ), apps as (
      delete from gatewarden_app_cell where day <= (select max(day) from past)
    ), tasks as (
      delete from gatewarden_task_cell where day <= (select max(day) from past)
    ), sessions as (
      delete from gatewarden_session_cell where day <= (select max(day) from past)
    ), gone as (
      delete from gatewarden_ranking_day using past where gatewarden_ranking_day.day = past.day returning 1
    ) select count(*)::int as swept from gone`
})

/** Rows of days that no window needs apart (`keptFrom`) become one row of their entity, dated `-infinity`, as recorders do with those they meet. */
const merge = (sql: SqlClient.SqlClient, at: Statement.Fragment, atMost: number) => sql<Counted>`
  with today as materialized (
    select (${at} at time zone 'UTC')::date as day
  ), kept as materialized (
    select (${sql.literal(keptFrom("day"))})::date as kept_from from today
  ), due as materialized (
    select distinct account_id, spender, entity from gatewarden_spent, kept
    where day > '-infinity' and day < kept.kept_from limit ${atMost}::int
  ), past as materialized (
    select r.id from kept, due join gatewarden_spent r using (account_id, spender, entity)
    where r.day < kept.kept_from order by r.id for update of r skip locked
  ), gone as (
    delete from gatewarden_spent r using past where r.id = past.id
    returning r.account_id, r.spender, r.entity, r.charged_nanos, r.charged_byok_nanos
  ), merged as (
    insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
    select account_id, spender, entity, '-infinity', sum(charged_nanos), sum(charged_byok_nanos)
    from gone group by account_id, spender, entity
  ) select count(*)::int as swept from gone`

/** Days of accounts that are summed in one transaction, if they have few events. */
const daysAtOnce = 20

/** Accounts whose holds are given back in one transaction. */
const accountsAtOnce = 16

const releaseExpired = (sql: SqlClient.SqlClient, at: Statement.Fragment, atMost: number) =>
  Effect.gen(function* () {
    // The index of open holds is small, whatever the statistics of a fresh installation make of it.
    yield* sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`
    const accounts = yield* sql<{ account_id: string }>`
      select distinct account_id from gatewarden_hold where state = 'open' and expires_at <= ${at}
      order by account_id limit ${accountsAtOnce}::int`
    let swept = 0
    for (const { account_id } of accounts) {
      const [row] = yield* sql<Counted>`
        select gatewarden_sweep_holds(${account_id}::uuid, ${at}, ${atMost}::int) as swept`
      swept += row?.swept ?? 0
    }
    return swept
  }).pipe(sql.withTransaction)

export const retention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const analytics = yield* AnalyticsSql
  const sweeps = sweepsOf(sql)
  const clock = instantIn(sql)
  /** The day is that of the clock that counts: of the database, or of this process. */
  const millisIn = Effect.flatMap(clock, (at) =>
    Effect.map(
      sql<{ millis: number }>`select floor(extract(epoch from ${at}) * 1000)::float8 as millis`,
      ([row]) => row?.millis ?? 0
    )
  )
  const counted = (statement: (at: Statement.Fragment) => Effect.Effect<readonly Counted[], SqlError.SqlError>) =>
    writing(
      Effect.map(
        Effect.flatMap(clock, (at) => statement(at)),
        ([row]) => row?.swept ?? 0
      )
    )
  return Retention.of({
    sweep: (what, olderThanSeconds, atMost) =>
      counted((at) => sweeps[what](sql`(${at} - ${olderThanSeconds}::float8 * interval '1 second')`, atMost)),
    releaseExpiredHolds: (atMost) => writing(Effect.flatMap(clock, (at) => releaseExpired(sql, at, atMost))),
    mergeSpending: (atMost) => counted((at) => merge(sql, at, atMost)),
    foldUsage: (atMost) =>
      writing(
        Effect.gen(function* () {
          const at = yield* clock
          const fold = (from: Statement.Fragment) =>
            analytics<Counted>`select gatewarden_fold_usage(${from}, ${at}, ${atMost}::int) as swept`
          const sum = analytics<Counted>`select gatewarden_sum_usage_days(${at}, null, ${daysAtOnce}::int) as swept`
          // From any account on, so that none waits behind others for long.
          for (const work of [
            fold(analytics`gen_random_uuid()`),
            fold(analytics`'00000000-0000-0000-0000-000000000000'::uuid`),
            sum
          ]) {
            const [row] = yield* work
            if (row !== undefined && row.swept > 0) return row.swept
          }
          return 0
        })
      ),
    measureEndpoints: (atMost) =>
      counted((at) => analytics<Counted>`select gatewarden_measure_endpoints(${at}, ${atMost}::int) as swept`),
    keepUsage: (days, rankingSeconds, atMost) =>
      writing(Effect.flatMap(millisIn, (now) => keepUsage(sql, { now, days, rankingSeconds, atMost }))),
    foldRankings: (atMost, keptSeconds) =>
      writing(
        Effect.gen(function* () {
          const bounds = { now: yield* Clock.currentTimeMillis, keptSeconds, atMost }
          const days = yield* foldOldestDays(analytics, bounds)
          return days > 0 ? days : yield* foldOldestSpans(analytics, bounds)
        })
      )
  })
})
