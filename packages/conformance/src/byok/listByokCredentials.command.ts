import * as fc from "fast-check"
import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listByokCredentials = command("listByokCredentials", {
  query: { workspace_id: some("workspace"), provider: fc.constantFrom("openai", "anthropic", "nobody") }
})
