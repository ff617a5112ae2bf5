/**
 * Makes the partitions of days before events of them are recorded. Background work makes them ahead, so a report seldom waits for that.
 *
 * Docs: docs/decisions/0018-usage-by-day.md.
 */
import type { UsageEvent } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Turn, batched } from "./coalesce.ts"
import { arrayLiteral } from "./literals.ts"
import { retrying, sqlState, whetherEnclosed } from "./statements.ts"

/** Older events share one partition. A sign before the year, of times that no report may have, sorts before the digits. */
const firstDay = "2020-01-01"

const dayOf = ({ created_at }: Pick<UsageEvent, "created_at">): string => created_at.slice(0, 10)

/** There is no partition for a row: among them is one that another process dropped, and one of a transaction that was rolled back. */
const isDayMissing = (error: SqlError.SqlError): boolean => sqlState(error) === "23514"

/** Days that are known to have partitions; more are forgotten and asked for again. */
const mostKnown = 4_000

export const usageDays = (sql: SqlClient.SqlClient) => {
  const known = new Set<string>()

  const open = (days: readonly string[]) =>
    retrying(sql`select gatewarden_open_usage_days(${arrayLiteral(days)}::date[])`)

  const missing = (events: readonly UsageEvent[]): readonly string[] => {
    const days = new Set<string>()
    for (const event of events) {
      const day = dayOf(event)
      if (!known.has(day) && firstDay <= day) days.add(day)
    }
    return [...days]
  }

  /** Of those that start at once with a new day, one asks. A transaction of the host may be rolled back, with what it made. */
  const openTogether = batched(
    Effect.fnUntraced(function* (all: readonly (readonly string[])[], turn: Turn) {
      const days = [...new Set(all.flat())].filter((day) => !known.has(day))
      if (days.length > 0) yield* open(days)
      if (turn !== "enclosed") {
        if (known.size + days.length > mostKnown) known.clear()
        for (const day of days) known.add(day)
      }
      return all
    })
  )

  const ensure = (events: readonly UsageEvent[]) =>
    Effect.suspend(() => {
      const days = missing(events)
      return days.length === 0 ? Effect.void : openTogether("", days)
    })

  return {
    /** Runs what records the events, where their days have partitions. */
    opened: <A, R>(
      events: readonly UsageEvent[],
      record: Effect.Effect<A, SqlError.SqlError, R>
    ): Effect.Effect<A, SqlError.SqlError, R> => {
      const once = Effect.andThen(ensure(events), record)
      return whetherEnclosed(
        () => once,
        Effect.catchIf(once, isDayMissing, () => {
          known.clear()
          return once
        })
      )
    }
  }
}
