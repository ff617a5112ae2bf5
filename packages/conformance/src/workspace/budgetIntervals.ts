import * as fc from "fast-check"

export const budgetIntervals = fc.constantFrom("daily", "weekly", "monthly", "lifetime", "monthly", "hourly")
