import { assert, describe, it } from "@effect/vitest"
import { readDuration } from "../../node/src/config/readDuration.ts"

describe("a duration on the command line", () => {
  it("is a number with its unit, or 0", () => {
    assert.deepStrictEqual(
      ["0", "90s", "30m", "24h", "7d", "0h"].map(readDuration),
      [0, 90_000, 1_800_000, 86_400_000, 604_800_000, 0]
    )
    for (const text of ["", "24", "1.5h", "-1h", "1w", "1h30m", " 1h", "10000d"]) assert.isUndefined(readDuration(text))
  })
})
