import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const getGuardrail = command("getGuardrail", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
