import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteKey = command("deleteKey", { weight: 1, params: { hash: some("key", "hash") } })
