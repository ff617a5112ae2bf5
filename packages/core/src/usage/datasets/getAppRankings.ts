import { appCategories, type AppRankings, type AppRankingsQuery, type AppSubcategory } from "@gatewarden/contract"
import { invalid } from "../../value/failure.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/timestamp.ts"
import { neverChanged, resolveRankingsWindow } from "../rankings/window.ts"
import { DatasetsReader } from "../../ports/analytics.ts"

/** Rule: datasets#app-rankings. The dataset covers the installation: every caller sees the same rows. */
export const getAppRankings = operation("getAppRankings")(function* (query: AppRankingsQuery) {
  const { start_date, end_date, category, subcategory, sort, limit, offset } = query
  const today = (yield* timestamp).slice(0, 10)
  const window = resolveRankingsWindow({ start_date, end_date, sampled: false, today })
  if (!window.ok) return yield* invalid(window.code, window.path, window.message)
  const ofGroup: readonly AppSubcategory[] | undefined = category && appCategories[category]
  const { rows, changed_at } = yield* (yield* DatasetsReader).apps({
    first: window.start_date,
    last: window.end_date,
    categories: subcategory === undefined ? ofGroup : [subcategory],
    sort,
    limit,
    offset
  })
  return {
    data: [...rows],
    meta: {
      as_of: changed_at ?? neverChanged,
      start_date: window.start_date,
      end_date: window.end_date,
      version: "v1"
    }
  } satisfies AppRankings
})
