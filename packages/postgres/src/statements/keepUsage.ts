/**
 * Makes the days of usage ahead, and drops those that are older than what is kept.
 *
 * Docs: docs/decisions/0018-usage-by-day.md.
 */
import { dayMillis, firstRankedDay } from "@gatewarden/core/internal"
import { Effect, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { arrayLiteral } from "./literals.ts"

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Days that are made before their first event: an installation whose background work stands still for a day makes none in a report. */
const daysAhead = 2

/** Whoever reads or writes usage waits so long behind a drop that waits itself for somebody else. */
const patienceMillis = 50

/** Days of accounts whose sums are made at once before their events are dropped. */
const summedAtOnce = 20

/** So often it is tried again at once; then the next run tries. */
const attempts = 5

interface KeptUsage {
  readonly now: number
  readonly days: number | undefined
  readonly rankingSeconds: number
  readonly atMost: number
}

/** What it did, in days and ids; 0 when nothing is left. */
export const keepUsage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { now, days, rankingSeconds, atMost }: KeptUsage
): Effect.fn.Return<number, SqlError.SqlError> {
  const ahead = Array.from({ length: daysAhead + 1 }, (_, n) => dayOf(now + n * dayMillis))
  const [opened] = yield* sql<{ days: number }>`
    select gatewarden_open_usage_days(${arrayLiteral(ahead)}::date[]) as days`
  if (opened !== undefined && opened.days > 0) return opened.days
  if (days === undefined) return 0
  const kept = dayOf(now - days * dayMillis)
  const [summed] = yield* sql<{ days: number }>`
    select gatewarden_sum_usage_days(${new Date(now)}, ${kept}::date, ${summedAtOnce}::int) as days`
  if (summed !== undefined && summed.days > 0) return summed.days
  const ranked = dayOf(now - rankingSeconds * 1_000 + dayMillis)
  const drop = Effect.map(
    sql<{ dropped: number }>`
      select gatewarden_drop_usage_days(${kept}::date,
        ${ranked > firstRankedDay ? ranked : firstRankedDay}::date, ${patienceMillis}::int) as dropped`,
    ([row]) => row?.dropped ?? 0
  )
  const dropped = yield* Effect.repeat(drop, {
    while: (answer) => answer < 0,
    times: attempts - 1,
    schedule: Schedule.spaced("100 millis")
  })
  if (dropped > 0) return dropped
  const [forgotten] = yield* sql<{ ids: number }>`
    with gone as (
      delete from gatewarden_usage_id where key = any (array(
        select key from gatewarden_usage_id where (created_at at time zone 'UTC')::date < least(
          ${dayOf(now - 2 * days * dayMillis)}::date, (gatewarden_usage_horizon() at time zone 'UTC')::date)
        order by (created_at at time zone 'UTC')::date limit ${atMost}::int for update skip locked
      )) returning 1
    ) select count(*)::int as ids from gone`
  return forgotten?.ids ?? 0
})
