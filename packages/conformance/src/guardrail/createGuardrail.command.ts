import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { budget, guardrailFields } from "./guardrailFields.ts"
import { some } from "../modelBased/Thing.ts"

export const createGuardrail = command("createGuardrail", {
  weight: 4,
  body: { ...guardrailFields, workspace_id: fc.option(some("workspace")) },
  together: budget,
  keeps: { guardrail: dataOf }
})
