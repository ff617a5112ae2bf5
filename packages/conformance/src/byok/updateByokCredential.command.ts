import { byokFields } from "./byokFields.ts"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const updateByokCredential = command("updateByokCredential", {
  weight: 5,
  params: { id: some("byok") },
  body: byokFields
})
