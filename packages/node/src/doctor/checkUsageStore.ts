/** ClickHouse, if usage is read from it: whether it answers, has the tables of this version, and how much waits for it. Changes nothing. */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../config/readConfiguration.ts"
import { orClickhouseFailure } from "../store/openStore.ts"
import { failure, fine, type Finding, warning } from "./Finding.ts"

const check = "ClickHouse"

/** Sent in a minute or two. */
const manyWaiting = 100_000

/** `names`: what this version needs, as `table.column`. */
export const judgeUsageSchema = (needed: readonly string[], found: ReadonlySet<string>): Finding => {
  const missing = needed.filter((name) => !found.has(name))
  return missing.length === 0
    ? fine(check, "it answers, and has the tables of this version")
    : warning(
        check,
        `${missing.length} columns are missing, such as ${missing[0]}; the next start adds them`,
        "gatewarden migrate"
      )
}

export const checkUsageStore = Effect.fnUntraced(function* ({ values }: Configuration) {
  const { GATEWARDEN_CLICKHOUSE_URL: url, GATEWARDEN_CLICKHOUSE_CLUSTER: cluster } = values
  if (url === undefined) return []
  const { neededColumns, openClickhouse } = yield* Effect.promise(() => import("@gatewarden/clickhouse/internal"))
  const asked = yield* Effect.result(
    orClickhouseFailure(
      Effect.flatMap(openClickhouse({ url, cluster }), ({ rows }) =>
        rows("SELECT table, name FROM system.columns WHERE database = currentDatabase()")
      ).pipe(Effect.timeout("20 seconds"), Effect.scoped)
    )
  )
  if (Result.isFailure(asked)) {
    const said =
      "lines" in asked.failure ? asked.failure.lines.join("; ") : "ClickHouse does not answer within 20 seconds"
    return [failure(check, said, "start it, or correct GATEWARDEN_CLICKHOUSE_URL", "unavailable")]
  }
  return [
    judgeUsageSchema(neededColumns, new Set(asked.success.map(([table, name]) => `${String(table)}.${String(name)}`)))
  ]
})

export interface WaitingUsage {
  /** Somebody sends what is recorded, or did. */
  readonly isOpen: boolean
  /** Events, counted up to one more than many. */
  readonly waiting: number
}

/** The backlog. Where nobody sends it, it grows with each event. */
export const judgeWaitingUsage = ({ isOpen, waiting }: WaitingUsage, isSent: boolean): readonly Finding[] => {
  if (!isOpen) return []
  const count = waiting > manyWaiting ? `more than ${manyWaiting}` : String(waiting)
  if (!isSent)
    return [
      warning(
        "usage to send",
        `${count} events wait for a ClickHouse, and GATEWARDEN_CLICKHOUSE_URL is not set: each recorded event adds one`,
        'set the variable, or: psql "$DATABASE_URL" -c "truncate gatewarden_usage_outlet, gatewarden_usage_outgoing"'
      )
    ]
  return [
    waiting > manyWaiting
      ? warning(
          "usage to send",
          `${count} events wait for ClickHouse`,
          'start a server with GATEWARDEN_BACKGROUND=1, and look for "usage_forwarding" in its log'
        )
      : fine("usage to send", `${count} events wait for ClickHouse`)
  ]
}

export const waitingUsage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ is_open: boolean; waiting: number }>`
    select exists (select from gatewarden_usage_outlet) as is_open,
      (select count(*)::int from (select from gatewarden_usage_outgoing limit ${manyWaiting + 1}) some_of_them) as waiting`
  return { isOpen: row?.is_open === true, waiting: row?.waiting ?? 0 } satisfies WaitingUsage
})
