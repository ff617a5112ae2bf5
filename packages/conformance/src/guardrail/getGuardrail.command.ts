import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const getGuardrail = command("getGuardrail", {
  params: { id: some("guardrail") },
  reads: { kind: "guardrail", params: { id: "id" } }
})
