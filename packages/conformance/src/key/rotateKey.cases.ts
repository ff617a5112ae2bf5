import { type CasesOf, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"
import { identity } from "./rotateKey/identity.ts"
import { overlaps } from "./rotateKey/overlaps.ts"
import { rotate } from "./rotateKey/rotations.ts"

const bad = (name: string, overlap_seconds: unknown) =>
  refused(
    "rotateKey",
    name,
    { params: { hash: "0".repeat(64) }, body: { overlap_seconds } },
    { path: "overlap_seconds" }
  )

export const rotateKey: CasesOf = {
  operation: "rotateKey",
  cases: [
    ...overlaps,
    ...identity,
    bad("an overlap before now", -1),
    bad("an overlap of more than 30 days", 2_592_001),
    bad("an overlap of half a second", 0.5),
    bad("an overlap in words", "60"),
    bad("a null overlap", null),
    ...keyCases("rotateKey", { body: {} }),
    storeGone("ApiKeys", 500, (world) => rotate(world)),
    storeGone("KeyUsageReader", 500, (world) => rotate(world)),
    outcomeUnknown("ApiKeys", (world) => rotate(world))
  ]
}
