import { byokFields } from "../byokFields.ts"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const updateByokCredential = command("updateByokCredential", {
  weight: 5,
  params: { id: some("byok") },
  body: byokFields
})
