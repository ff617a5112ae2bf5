import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const getByokCredential = command("getByokCredential", {
  params: { id: some("byok") },
  reads: { kind: "byok", params: { id: "id" } }
})
