import * as fc from "fast-check"
import { byokFields } from "./byokFields.ts"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const createByokCredential = command("createByokCredential", {
  weight: 4,
  body: {
    ...byokFields,
    provider: fc.constantFrom("openai", "openai", "anthropic", "azure", "amazon-bedrock/claude-on-aws", "nobody"),
    workspace_id: fc.option(some("workspace"))
  },
  keeps: { byok: dataOf }
})
