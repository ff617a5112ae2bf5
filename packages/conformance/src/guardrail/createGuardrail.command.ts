import * as fc from "fast-check"
import { command, dataOf } from "../model/Command.ts"
import { budget, guardrailFields } from "./guardrailFields.ts"
import { some } from "../model/Thing.ts"

export const createGuardrail = command("createGuardrail", {
  weight: 4,
  body: { ...guardrailFields, workspace_id: fc.option(some("workspace")) },
  together: budget,
  keeps: { guardrail: dataOf }
})
