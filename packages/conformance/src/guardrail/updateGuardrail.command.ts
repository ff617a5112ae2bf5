import { command } from "../modelBased/Command.ts"
import { budget, guardrailFields } from "./guardrailFields.ts"
import { some } from "../modelBased/Thing.ts"

export const updateGuardrail = command("updateGuardrail", {
  weight: 6,
  params: { id: some("guardrail") },
  body: guardrailFields,
  together: budget
})
