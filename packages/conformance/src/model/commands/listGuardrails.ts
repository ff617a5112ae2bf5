import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listGuardrails = command("listGuardrails", {
  query: { workspace_id: some("workspace") }
})
