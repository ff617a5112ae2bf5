import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listBudgetWarnings = command("listBudgetWarnings", {
  weight: 2,
  query: { workspace_id: fc.option(some("workspace"), { nil: undefined }) }
})
