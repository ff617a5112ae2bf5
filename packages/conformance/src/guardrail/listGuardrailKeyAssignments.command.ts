import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listGuardrailKeyAssignments = command("listGuardrailKeyAssignments", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
