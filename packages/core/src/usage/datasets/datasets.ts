import {
  type AppRankings,
  type AppRankingsQuery,
  type AppSubcategory,
  type SessionCostQuery,
  type SessionCosts,
  type TaskClassifications,
  appCategories
} from "@gatewarden/contract/internal"
import { DatasetsReader } from "../../ports/analytics.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/calendar.ts"
import { invalid } from "../../value/failure.ts"
import { addDays, bucketOf, neverChanged, resolveRankingsWindow } from "../rankings/window.ts"
import { shareTasks } from "./shareTasks.ts"

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

const window_days = 7

/** Rule: datasets#task-classifications. The whole days before today. */
export const getTaskClassifications = operation("getTaskClassifications")(function* () {
  const as_of = addDays((yield* timestamp).slice(0, 10), -1)
  const tasks = yield* (yield* DatasetsReader).tasks({ first: addDays(as_of, 1 - window_days), last: as_of })
  return { as_of, window_days, ...shareTasks(tasks) } satisfies TaskClassifications
})

/**
 * Which app a request belongs to in public datasets.
 *
 * Rule: datasets#apps. Both patterns mean the same to JavaScript and to PostgreSQL, and read ASCII alone.
 *
 * The URL of an app; its group is the host without `www.`. Neither an address nor a name of one label is public.
 */
export const appUrlPattern =
  "^[Hh][Tt][Tt][Pp][Ss]?://(?:[Ww][Ww][Ww]\\.)?((?:[0-9A-Za-z-]{1,63}\\.)+[A-Za-z][0-9A-Za-z-]{0,62})(?::[0-9]{1,5})?(?:[/?#]|$)"

/** Hosts in lower case that nobody reaches from elsewhere. */
export const privateHostPattern = "(?:^|\\.)(?:local|localhost|internal|intranet|lan|corp|test|invalid|home\\.arpa)$"

const appUrl = new RegExp(appUrlPattern)
const privateHost = new RegExp(privateHostPattern)

/** The host that names the app; undefined: the request belongs to no public app. */
export const publicAppOf = (origin: string | null): string | undefined => {
  const host = origin === null ? undefined : appUrl.exec(origin)?.[1]?.toLowerCase()
  return host === undefined || privateHost.test(host) ? undefined : host
}

/** The origin under which a public app has its number. */
export const originOfApp = (host: string): string => `https://${host}`
