import { assert, describe, it } from "@effect/vitest"
import { nearestName } from "../../contract/src/internal.ts"

const known = ["keyring", "managementKey", "basePath", "wire", "store"]

describe("the nearest name", () => {
  const cases: readonly (readonly [name: string, nearest: string | undefined])[] = [
    ["keyRing", "keyring"],
    ["management_key", "managementKey"],
    ["basPath", "basePath"],
    ["wrie", "wire"],
    ["stores", "store"],
    ["base", "basePath"],
    ["storeDirectory", "store"],
    ["ba", undefined],
    ["colour", undefined],
    ["x", undefined],
    ["", undefined]
  ]
  for (const [name, nearest] of cases)
    it(`to "${name}" is ${nearest ?? "none"}`, () => {
      assert.strictEqual(nearestName(name, known), nearest)
    })
})
