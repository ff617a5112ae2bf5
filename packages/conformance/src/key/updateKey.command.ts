import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const updateKey = command("updateKey", { weight: 4, params: { hash: some("key", "hash") } })
