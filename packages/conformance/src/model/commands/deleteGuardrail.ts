import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const deleteGuardrail = command("deleteGuardrail", {
  weight: 1,
  params: { id: some("guardrail") }
})
