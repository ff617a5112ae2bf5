import { command } from "../model/Command.ts"
import { calendarDay } from "../model/Thing.ts"

export const getRankingsDaily = command("getRankingsDaily", {
  weight: 5,
  query: { start_date: calendarDay(-60, 0), end_date: calendarDay(-45, 2) }
})
