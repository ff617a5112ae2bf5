import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const getKey = command("getKey", {
  params: { hash: some("key", "hash") },
  reads: { kind: "key", params: { hash: "hash" } }
})
