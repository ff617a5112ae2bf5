import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const putKeyRateLimits = command("putKeyRateLimits", { params: { hash: some("key", "hash") } })
