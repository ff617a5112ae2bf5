import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteDestination = command("deleteDestination", {
  weight: 1,
  params: { id: some("destination") }
})
