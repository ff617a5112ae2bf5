import { assert } from "@effect/vitest"
import { metadataOf } from "../World.ts"
import { type CasesOf, outcomeUnknown, refused, storeGone } from "../http/Case.ts"
import { keyCases } from "./keyCases.ts"
import { identity } from "./rotateKey/identity.ts"
import { overlaps } from "./rotateKey/overlaps.ts"
import { opened, rotate } from "./rotateKey/rotations.ts"

const bad = (name: string, value: unknown, path = "overlap_seconds") =>
  refused("rotateKey", name, { params: { hash: "0".repeat(64) }, body: { [path]: value } }, { path })

/** The name that the public API has for the overlap. */
const theirs = "revoke_previous_after_seconds"

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
    bad("an overlap by its public name, before now", -1, theirs),
    bad("an overlap by its public name, of more than 30 days", 2_592_001, theirs),
    {
      name: "an end and none: both are named",
      status: 400,
      run: (world) => rotate(world, { overlap_seconds: 60, [theirs]: null }),
      check: async (answer, world) => {
        assert.lengthOf(metadataOf(answer).issues, 2)
        assert.deepEqual(await opened(world, world.normalKey), [true])
      }
    },
    {
      name: "two overlaps that differ: both are named",
      status: 400,
      run: (world) => rotate(world, { overlap_seconds: 60, [theirs]: 0 }),
      check: async (answer, world) => {
        const { issues } = metadataOf(answer)
        assert.deepEqual(
          issues.map(({ path }) => path),
          ["overlap_seconds", theirs]
        )
        assert.deepEqual(await opened(world, world.normalKey), [true])
      }
    },
    ...keyCases("rotateKey", { body: {} }),
    storeGone("ApiKeys", 500, (world) => rotate(world)),
    storeGone("KeyUsageReader", 500, (world) => rotate(world)),
    outcomeUnknown("ApiKeys", (world) => rotate(world))
  ]
}
