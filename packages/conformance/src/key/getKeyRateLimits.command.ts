import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const getKeyRateLimits = command("getKeyRateLimits", {
  params: { hash: some("key", "hash") },
  reads: { kind: "key", params: { hash: "hash" } }
})
