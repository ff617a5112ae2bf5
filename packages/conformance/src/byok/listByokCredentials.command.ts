import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listByokCredentials = command("listByokCredentials", {
  query: { workspace_id: some("workspace"), provider: fc.constantFrom("openai", "anthropic", "nobody") }
})
