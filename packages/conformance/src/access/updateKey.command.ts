import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const updateKey = command("updateKey", { weight: 4, params: { hash: some("key", "hash") } })
