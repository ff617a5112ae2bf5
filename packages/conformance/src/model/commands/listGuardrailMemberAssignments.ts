import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listGuardrailMemberAssignments = command("listGuardrailMemberAssignments", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
