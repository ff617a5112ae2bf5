import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const getKeyRateLimits = command("getKeyRateLimits", {
  params: { hash: some("key", "hash") },
  reads: { kind: "key", params: { hash: "hash" } }
})
