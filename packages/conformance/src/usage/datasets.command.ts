/** The datasets of apps, tasks and sessions. */
import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { calendarDay } from "../modelBased/Thing.ts"

const page = { limit: fc.constantFrom("1", "3", "0"), offset: fc.constantFrom("0", "1", "null") }

export const getAppRankings = command("getAppRankings", {
  weight: 3,
  query: {
    ...page,
    start_date: calendarDay(-60, 0),
    end_date: calendarDay(-45, 2),
    sort: fc.constantFrom("popular", "trending", "newest"),
    category: fc.constantFrom("coding", "entertainment"),
    subcategory: fc.constantFrom("cli-agent", "game")
  }
})

export const getSessionCost = command("getSessionCost", {
  weight: 3,
  query: { ...page, turn_range: fc.constantFrom("1-turn", "2-9-turns", "3-turns") }
})

export const getTaskClassifications = command("getTaskClassifications", { weight: 3, query: {} })
