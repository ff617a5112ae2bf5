import * as fc from "fast-check"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"
import { budgetIntervals } from "../budgetIntervals.ts"

export const getWorkspaceBudget = command("getWorkspaceBudget", {
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")), interval: budgetIntervals }
})
