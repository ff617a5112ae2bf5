import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const getKey = command("getKey", {
  params: { hash: some("key", "hash") },
  reads: { kind: "key", params: { hash: "hash" } }
})
