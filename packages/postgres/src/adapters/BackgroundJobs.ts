import { BackgroundJobs, type Claimed, type JobState, type JobTurn } from "@gatewarden/core/store"
import { Data, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { askedInstant, enclosedBy, reading, repeating, retrying, writing } from "../statements/statements.ts"

/**
 * The database ends the transaction of a holder that died: at once if it waits for the next statement, else after these. That of a holder
 * that is paused ends as any does (`statementLimits`). A statement of background work is short and waits for nobody.
 */
const limits = { statement_timeout: "4s", lock_timeout: "1s" }

/** Undoes the work of a holder that was too slow. */
class LeaseLost extends Data.TaggedError("LeaseLost")<{}> {}
const isLeaseLost = (error: unknown): error is LeaseLost => error instanceof LeaseLost

const millis = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`

export const backgroundJobs = Effect.map(SqlClient.SqlClient, (sql) => {
  const names = (jobs: readonly string[]) => sql`${arrayLiteral(jobs)}::text[]`
  const own = ({ job, token }: JobTurn) =>
    sql`job = ${job} and token = ${BigInt(token)}::bigint and lease_until is not null`

  /** A row that another process is at work on, or is taking just now, is left to that one. */
  const take = (jobs: readonly string[], leaseSeconds: number, now: string | null) => sql<{
    job: string
    token: number
    failures: number
  }>`
    with clock as materialized (select coalesce(${now}::timestamptz, clock_timestamp()) as at), free as (
      select b.job, clock.at from gatewarden_background_job b, clock
      where b.job = any (${names(jobs)}) and b.due_at <= clock.at and coalesce(b.lease_until <= clock.at, true)
      order by b.due_at, b.job limit 1 for update of b skip locked
    )
    update gatewarden_background_job b
    set token = b.token + 1, began_at = free.at, lease_until = free.at + ${leaseSeconds}::float8 * interval '1 second'
    from free where b.job = free.job
    returning b.job, b.token::float8 as token, b.failures`

  const soonest = (jobs: readonly string[], now: string | null) => sql<{ known: number; wait: number | null }>`
    select count(*)::int as known,
      extract(epoch from min(greatest(due_at, coalesce(lease_until, due_at))) - coalesce(${now}::timestamptz, clock_timestamp()))::float8
        * 1000 as wait
    from gatewarden_background_job where job = any (${names(jobs)})`

  const introduce = (jobs: readonly string[], now: string | null) => sql`
    insert into gatewarden_background_job (job, due_at)
    select job, coalesce(${now}::timestamptz, clock_timestamp()) from unnest(${names(jobs)}) as asked (job)
    order by job on conflict do nothing`

  const claim = Effect.fnUntraced(function* (jobs: readonly string[], leaseSeconds: number) {
    const now = yield* askedInstant
    for (;;) {
      const [turn] = yield* take(jobs, leaseSeconds, now)
      if (turn !== undefined) return { turn } satisfies Claimed
      const [left] = yield* soonest(jobs, now)
      if (left === undefined || left.known >= jobs.length)
        return { turn: undefined, wait_millis: Math.max(0, left?.wait ?? 0) } satisfies Claimed
      yield* introduce(jobs, now)
    }
  })

  return BackgroundJobs.of({
    claim: (jobs, leaseSeconds) => writing(retrying(claim(jobs, leaseSeconds))),
    renew: Effect.fnUntraced(function* (turn, leaseSeconds) {
      const now = yield* askedInstant
      // The holder's own transaction locks the row, and nobody else can take it then.
      const [row] = yield* sql<{ held: boolean }>`
        with mine as (select job from gatewarden_background_job where ${own(turn)} for update skip locked), renewed as (
          update gatewarden_background_job b
          set lease_until = coalesce(${now}::timestamptz, clock_timestamp()) + ${leaseSeconds}::float8 * interval '1 second'
          from mine where b.job = mine.job
        )
        select exists (select from gatewarden_background_job where ${own(turn)}) as held`.pipe(repeating, writing)
      return row?.held ?? false
    }),
    commit: (turn, work) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ position: string | null }>`
          select position from gatewarden_background_job where ${own(turn)} for update`
        if (row === undefined) return yield* new LeaseLost()
        yield* sql`
          select set_config('statement_timeout', ${limits.statement_timeout}, true),
            set_config('lock_timeout', ${limits.lock_timeout}, true)`
        const done = yield* enclosedBy(sql)(work(row.position))
        if (done.position !== undefined)
          yield* sql`update gatewarden_background_job set position = ${done.position} where job = ${turn.job}`
        return Option.some(done.value)
      }).pipe(
        sql.withTransaction,
        Effect.catchIf(isLeaseLost, () => Effect.succeed(Option.none())),
        writing
      ),
    finish: Effect.fnUntraced(function* (turn, { failed, due_in_seconds }) {
      const now = yield* askedInstant
      const rows = yield* sql`
        update gatewarden_background_job b
        set lease_until = null, due_at = clock.at + ${due_in_seconds}::float8 * interval '1 second',
          failures = case when ${failed}::boolean then b.failures + 1 else 0 end,
          succeeded_at = case when ${failed}::boolean then b.succeeded_at else clock.at end
        from (select coalesce(${now}::timestamptz, clock_timestamp()) as at) clock
        where ${own(turn)} returning b.job`.pipe(retrying, writing)
      return rows.length > 0
    }),
    states: Effect.gen(function* () {
      const now = yield* askedInstant
      const rows = yield* sql<JobState & { readonly at: number }>`
        select clock.at, b.* from (
          select ${sql.literal(millis("instant"))} as at
          from (select coalesce(${now}::timestamptz, clock_timestamp()) as instant) i
        ) clock left join (
          select job, ${sql.literal(millis("due_at"))} as due_at, ${sql.literal(millis("lease_until"))} as lease_until,
            ${sql.literal(millis("began_at"))} as began_at, ${sql.literal(millis("succeeded_at"))} as succeeded_at,
            failures, position
          from gatewarden_background_job
        ) b on true order by b.job`.pipe(reading)
      const judged = rows[0]?.at ?? 0
      return {
        now: judged,
        jobs: rows.flatMap(({ at: _, lease_until, ...state }): readonly JobState[] =>
          state.job === null
            ? []
            : [{ ...state, lease_until: lease_until !== null && lease_until > judged ? lease_until : null }]
        )
      }
    })
  })
})
