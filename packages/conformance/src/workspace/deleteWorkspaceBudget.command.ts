import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { budgetIntervals } from "./budgetIntervals.ts"

export const deleteWorkspaceBudget = command("deleteWorkspaceBudget", {
  weight: 1,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")), interval: budgetIntervals }
})
