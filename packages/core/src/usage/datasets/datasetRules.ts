/**
 * What the datasets have in common with every store.
 *
 * Rule: datasets#app-rankings, datasets#task-classifications, datasets#session-cost, datasets#bounds-of-datasets.
 */
import type { MacroCategoryKey, TurnRange } from "@gatewarden/contract/internal"
import { addDays, firstRankedDay } from "../rankings/window.ts"
import { dayMillis } from "../../value/calendar.ts"

/** The classifier and the dimension of it whose tag names the task of a request. */
export const taskClassifier = { id: "task", dimension: "tag" } as const

/** `code:general_impl`. Any other tag is no task. The same to JavaScript and to PostgreSQL. */
export const taskPattern = "^(code|data|agent|general):[a-z0-9_]{1,64}$"

const task = new RegExp(taskPattern)

export const isTask = (tag: string | undefined): tag is string => tag !== undefined && task.test(tag)

export const macroCategoryOf = (tag: string): MacroCategoryKey => tag.slice(0, tag.indexOf(":")) as MacroCategoryKey

/** Tasks that are shown; the rest counts as not classified. */
export const mostTasks = 100

/** Models that are shown of a task. */
export const mostTaskModels = 10

/** Sessions below which a cell of one account is not shown: a median of a few would tell of a single one. */
export const leastSessions = 5

/** Accounts below which a cell of several is not shown. Each counts once, so that none can place the median at a session of another. */
export const leastAccounts = 5

/** Apps of a day that count: those with the most tokens. Hosts are what those who send events write, so there may be any number. */
export const mostDailyApps = 5_000

/** Tasks of a model on one day that count: those with the most requests. */
export const mostDailyTasks = 10_000

/** Cells of a week of sessions that count: those with the most sessions. */
export const mostSessionCells = 10_000

/** The least number of turns of each range, in order. */
export const turnRanges: readonly (readonly [TurnRange, number])[] = [
  ["1-turn", 1],
  ["2-9-turns", 2],
  ["10-49-turns", 10],
  ["50-plus-turns", 50]
]

/** How many days there are from `first` to `last`. */
const lengthOf = (first: string, last: string): number => (Date.parse(last) - Date.parse(first)) / dayMillis + 1

/** The windows that trending apps are compared with. */
export const windowsBefore = 3

/** The first day that counts: for `trending` that of the earliest window before, but no day before the dataset. */
export const firstCountedDay = (
  sort: "popular" | "trending",
  { first, last }: { first: string; last: string }
): string => {
  if (sort === "popular") return first
  const before = addDays(first, -windowsBefore * lengthOf(first, last))
  return before < firstRankedDay ? firstRankedDay : before
}
