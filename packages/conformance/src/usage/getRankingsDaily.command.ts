import { command } from "../modelBased/Command.ts"
import { calendarDay } from "../modelBased/Thing.ts"

export const getRankingsDaily = command("getRankingsDaily", {
  weight: 5,
  query: { start_date: calendarDay(-60, 0), end_date: calendarDay(-45, 2) }
})
