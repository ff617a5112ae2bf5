import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const updateKey = command("updateKey", { weight: 4, params: { hash: some("key", "hash") } })
