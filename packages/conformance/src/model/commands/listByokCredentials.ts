import * as fc from "fast-check"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listByokCredentials = command("listByokCredentials", {
  query: { workspace_id: some("workspace"), provider: fc.constantFrom("openai", "anthropic", "nobody") }
})
