import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const rotateKey = command("rotateKey", {
  weight: 4,
  params: { hash: some("key", "hash") },
  body: { overlap_seconds: fc.constantFrom(0, 1, 60, 86_400) },
  keeps: { key: ({ data, key }) => ({ ...data, key }) }
})
