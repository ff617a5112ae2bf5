import * as fc from "fast-check"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listBudgetWarnings = command("listBudgetWarnings", {
  weight: 2,
  query: { workspace_id: fc.option(some("workspace"), { nil: undefined }) }
})
