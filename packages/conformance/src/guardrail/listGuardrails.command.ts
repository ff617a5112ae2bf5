import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listGuardrails = command("listGuardrails", {
  query: { workspace_id: some("workspace") }
})
