import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const testDestination = command("testDestination", { weight: 1, params: { id: some("destination") } })
