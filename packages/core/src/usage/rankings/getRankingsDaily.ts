import type { RankingsDaily, RankingsQuery } from "@gatewarden/contract"
import { invalid } from "../../value/failure.ts"
import { timestamp } from "../../value/timestamp.ts"
import { operation } from "../../tracing/operation.ts"
import { RankingsReader } from "../../ports/analytics.ts"
import { countedDays, neverChanged, resolveRankingsWindow } from "./window.ts"

/** Rule: rankings#counted-usage. The dataset covers the installation: every caller sees the same rows. */
export const getRankingsDaily = operation("getRankingsDaily")(function* (query: RankingsQuery) {
  const { start_date, end_date, period, ...filters } = query
  const sampled = filters.category !== undefined || filters.language_type !== undefined
  const today = (yield* timestamp).slice(0, 10)
  const window = resolveRankingsWindow({ start_date, end_date, period, sampled, today })
  if (!window.ok) return yield* invalid(window.code, window.path, window.message)
  const reader = yield* RankingsReader
  const { rows, changed_at } = yield* reader.rank({
    ...filters,
    ...countedDays(window, sampled),
    period: window.period
  })
  return {
    data: [...rows],
    meta: {
      as_of: changed_at ?? neverChanged,
      start_date: window.start_date,
      end_date: window.end_date,
      version: "v1"
    }
  } satisfies RankingsDaily
})
