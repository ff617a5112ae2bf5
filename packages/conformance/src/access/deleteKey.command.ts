import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const deleteKey = command("deleteKey", { weight: 1, params: { hash: some("key", "hash") } })
