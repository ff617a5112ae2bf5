import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const getDestination = command("getDestination", {
  params: { id: some("destination") },
  reads: { kind: "destination", params: { id: "id" } }
})
