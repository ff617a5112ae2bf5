import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listGuardrailKeyAssignments = command("listGuardrailKeyAssignments", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
