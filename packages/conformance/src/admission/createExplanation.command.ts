import * as fc from "fast-check"
import { admissionFields } from "./admissionFields.ts"
import { command } from "../modelBased/Command.ts"
import { guardrailFields } from "../guardrail/guardrailFields.ts"
import { moment } from "../modelBased/Thing.ts"

const day = 86_400_000

export const createExplanation = command("createExplanation", {
  weight: 5,
  body: {
    ...admissionFields,
    guardrail: fc.record({
      scope: fc.constantFrom("workspace", "member", "key"),
      patch: fc.record(guardrailFields, { requiredKeys: [] })
    }),
    replay: fc.record({ start: moment(-40 * day, 0), end: moment(-day, day) })
  }
})
