import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteByokCredential = command("deleteByokCredential", { weight: 1, params: { id: some("byok") } })
