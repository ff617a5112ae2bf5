import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { budgetIntervals } from "./budgetIntervals.ts"

export const putWorkspaceBudget = command("putWorkspaceBudget", {
  weight: 4,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")), interval: budgetIntervals },
  body: { limit_usd: fc.constantFrom(1, 2, 3, 5, 8, 13, 0.000000001, 123456789.123456, 1e9, 0) }
})
