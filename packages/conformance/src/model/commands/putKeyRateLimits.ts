import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const putKeyRateLimits = command("putKeyRateLimits", { params: { hash: some("key", "hash") } })
