import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { budgetIntervals } from "./budgetIntervals.ts"

export const getWorkspaceBudget = command("getWorkspaceBudget", {
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")), interval: budgetIntervals }
})
