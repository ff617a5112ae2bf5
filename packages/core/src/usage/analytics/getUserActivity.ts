import {
  type ActivityRow,
  isDay,
  maxActivityRows,
  type QueryOf,
  type getUserActivity as declaration
} from "@gatewarden/contract/internal"
import { Clock } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { BadRequest } from "../../value/failure.ts"
import { joinVariant } from "../../catalog/modelNames.ts"
import { operation } from "../../tracing/operation.ts"
import { dayMillis, formatInstant, startOfBucket } from "../../value/calendar.ts"
import { usdNumber } from "../../value/money.ts"
import type { AnalyticsCell } from "../../ports/analytics.ts"
import { planQuery } from "./planQuery.ts"
import { reachedEvents } from "./queryAnalytics.ts"
import { readInTime } from "./AnalyticsSlots.ts"

/** How many completed days an answer covers. */
const coveredDays = 30

const metrics = [
  "credits_usage",
  "byok_usage",
  "request_count",
  "tokens_prompt",
  "tokens_completion",
  "reasoning_tokens"
] as const

const dimensions = ["model", "variant", "endpoint", "provider"] as const

const filterFields = { api_key_hash: "api_key_id", user_id: "user", workspace_id: "workspace" } as const

/** A fixed query of analytics. Rule: analytics#activity. */
export const getUserActivity = operation("getUserActivity")(function* (
  caller: Caller,
  { date, group_by, ...filtered }: QueryOf<typeof declaration>
) {
  const now = yield* Clock.currentTimeMillis
  const today = startOfBucket("day", now)
  const first = today - coveredDays * dayMillis
  const start = date === undefined ? first : isDay(date) ? Date.parse(date) : Number.NaN
  if (!(start >= first && start < today))
    return yield* refuse("date", `Expected a day from ${dayOf(first)} to ${dayOf(today - dayMillis)}`, "invalid_date")
  const planned = planQuery(
    {
      metrics: [...metrics],
      dimensions: group_by === "workspace" ? [...dimensions, "workspace"] : [...dimensions],
      granularity: "day",
      time_range: { start: formatInstant(start), end: formatInstant(date === undefined ? today : start + dayMillis) },
      filters: Object.entries(filterFields).flatMap(([name, field]) => {
        const value = filtered[name as keyof typeof filterFields]
        return value === undefined ? [] : [{ field, operator: "eq" as const, value }]
      }),
      limit: maxActivityRows
    },
    now
  )
  if (!planned.ok) return yield* new BadRequest({ reason: planned.reason, issues: planned.issues })
  const result = yield* readInTime(caller.account_id, {
    ...planned.plan,
    filters: [...planned.plan.filters, ...reachedEvents(caller)]
  })
  if (result === "unknown_classifier") return { data: [] }
  if (result.truncated)
    return yield* refuse(
      date === undefined ? "date" : "workspace_id",
      `There are more than ${maxActivityRows} rows; name a ${date === undefined ? "date, a key or a workspace" : "key, a user or a workspace"}`,
      "too_big"
    )
  return { data: joined(result.cells).map(printRow) }
})

/**
 * An event may have an empty endpoint, or none. Both are shown alike, so their sums are one row, in the place of the larger sum: the first
 * measure is what rows of a day are ordered by.
 */
const joined = (cells: readonly AnalyticsCell[]): readonly AnalyticsCell[] => {
  const rows = new Map<string, AnalyticsCell>()
  for (const { time, keys, measures } of cells) {
    const shown = keys.map((key) => key ?? "")
    const name = JSON.stringify([time, ...shown])
    const before = rows.get(name)
    const sums = measures.map((measure, at) => BigInt(measure ?? 0) + BigInt(before?.measures[at] ?? 0))
    rows.set(name, { time, keys: shown, measures: sums })
  }
  if (rows.size === cells.length) return cells
  const usageOf = ({ measures: [usage] }: AnalyticsCell) => BigInt(usage ?? 0)
  return [...rows.values()].sort((a, b) => {
    if (a.time !== b.time) return (b.time ?? 0) - (a.time ?? 0)
    const [one, other] = [usageOf(a), usageOf(b)]
    return one === other ? 0 : one > other ? -1 : 1
  })
}

const refuse = (name: string, message: string, code: string) =>
  new BadRequest({ reason: "invalid_request", issues: [{ path: `query.${name}`, code, message }] })

const dayOf = (millis: number): string => formatInstant(millis).slice(0, 10)

const printRow = ({ time, keys, measures }: AnalyticsCell): ActivityRow => {
  const [model, variant, endpoint, provider, workspace_id] = keys.map((key) => key ?? "")
  const [usage, byok, requests, prompt, completion, reasoning] = measures.map((measure) => BigInt(measure ?? 0))
  const slug = model ?? ""
  return {
    date: dayOf(time ?? 0),
    model: slug,
    model_permaslug: joinVariant({ slug, variant: variant ?? "" }),
    endpoint_id: endpoint ?? "",
    provider_name: provider ?? "",
    usage: usd(usage),
    byok_usage_inference: usd(byok),
    requests: count(requests),
    prompt_tokens: count(prompt),
    completion_tokens: count(completion),
    reasoning_tokens: count(reasoning),
    ...(workspace_id === undefined ? {} : { workspace_id })
  }
}

/** The public client refuses the whole answer for one integer that is larger. */
const count = (sum: bigint | undefined): number => Math.min(Number(sum ?? 0n), Number.MAX_SAFE_INTEGER)

const usd = (nanos: bigint | undefined): number => usdNumber(nanos ?? 0n)
