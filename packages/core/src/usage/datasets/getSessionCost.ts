import type { SessionCostQuery, SessionCosts } from "@gatewarden/contract"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/timestamp.ts"
import { addDays, bucketOf, neverChanged } from "../rankings/window.ts"
import { DatasetsReader } from "../../ports/analytics.ts"

const weekDays = 7

/** Rule: datasets#session-cost. The last whole ISO week. */
export const getSessionCost = operation("getSessionCost")(function* (query: SessionCostQuery) {
  const today = (yield* timestamp).slice(0, 10)
  const monday = addDays(bucketOf("week", today), -weekDays)
  const { rows, isPublished, changed_at } = yield* (yield* DatasetsReader).sessions({ ...query, monday })
  return {
    data: [...rows],
    meta: {
      as_of: changed_at ?? neverChanged,
      version: "v1",
      window_days: isPublished ? weekDays : null,
      window_end_date: isPublished ? addDays(monday, weekDays - 1) : null
    }
  } satisfies SessionCosts
})
