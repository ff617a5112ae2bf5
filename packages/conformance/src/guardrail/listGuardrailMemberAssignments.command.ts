import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listGuardrailMemberAssignments = command("listGuardrailMemberAssignments", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
