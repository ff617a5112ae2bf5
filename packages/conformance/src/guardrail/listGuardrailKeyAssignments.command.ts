import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listGuardrailKeyAssignments = command("listGuardrailKeyAssignments", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
