import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const replayDeadLetters = command("replayDeadLetters", { weight: 1, params: { id: some("destination") } })
