import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const deleteKey = command("deleteKey", { weight: 1, params: { hash: some("key", "hash") } })
