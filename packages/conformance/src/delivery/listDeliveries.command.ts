import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listDeliveries = command("listDeliveries", {
  params: { id: some("destination") },
  reads: { kind: "destination", params: { id: "id" } }
})
