import { BudgetInterval } from "@gatewarden/contract"
import * as fc from "fast-check"

/** As a path may name them; hourly is none. */
export const budgetIntervals = fc.constantFrom(...BudgetInterval.options, "hourly")
