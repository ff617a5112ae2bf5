import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const deleteGuardrail = command("deleteGuardrail", {
  weight: 1,
  params: { id: some("guardrail") }
})
