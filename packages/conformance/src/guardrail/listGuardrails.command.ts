import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listGuardrails = command("listGuardrails", {
  query: { workspace_id: some("workspace") }
})
