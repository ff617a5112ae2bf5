import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const assignKeys = command("assignKeys", {
  weight: 3,
  params: { id: some("guardrail") },
  body: { key_hashes: fc.array(some("key", "hash"), { minLength: 1, maxLength: 3 }) }
})
