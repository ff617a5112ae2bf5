import * as fc from "fast-check"
import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"
import { budgetIntervals } from "./budgetIntervals.ts"

export const deleteWorkspaceBudget = command("deleteWorkspaceBudget", {
  weight: 1,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")), interval: budgetIntervals }
})
