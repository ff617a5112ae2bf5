import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const putKeyRateLimits = command("putKeyRateLimits", { params: { hash: some("key", "hash") } })
