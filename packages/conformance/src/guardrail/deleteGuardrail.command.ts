import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteGuardrail = command("deleteGuardrail", {
  weight: 1,
  params: { id: some("guardrail") }
})
