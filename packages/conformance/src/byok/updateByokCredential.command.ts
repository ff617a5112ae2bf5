import { byokFields } from "./byokFields.ts"
import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const updateByokCredential = command("updateByokCredential", {
  weight: 5,
  params: { id: some("byok") },
  body: byokFields
})
