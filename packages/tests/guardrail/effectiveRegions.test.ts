import { assert, describe, it } from "@effect/vitest"
import type { Region } from "@gatewarden/contract"
import * as fc from "fast-check"
import { effectiveRegions } from "../../core/src/guardrail/guardrail.ts"

const all: readonly Region[] = ["global", "europe", "us"]
const lists = fc.option(fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 }))
const guardrails = fc.array(
  lists.map((allowed_data_regions) => ({ allowed_data_regions })),
  { maxLength: 4 }
)

describe("effectiveRegions", () => {
  it("is the intersection of what is not null, in one order", () => {
    const of = (...sent: readonly (Region[] | null)[]) =>
      effectiveRegions(sent.map((allowed_data_regions) => ({ allowed_data_regions })))
    assert.deepEqual(of(), all)
    assert.deepEqual(of(null, null), all)
    assert.deepEqual(of(["us", "global"]), ["global", "us"])
    assert.deepEqual(of(["us", "global"], null, ["us", "europe"]), ["us"])
    assert.deepEqual(of(["us"], ["europe"]), [])
  })

  it("is commutative and idempotent, and another guardrail never opens a region", () => {
    fc.assert(
      fc.property(guardrails, lists, (given, allowed_data_regions) => {
        const regions = effectiveRegions(given)
        assert.deepEqual(effectiveRegions(given.toReversed()), regions)
        assert.deepEqual(effectiveRegions([...given, ...given]), regions)
        assert.includeMembers(regions, effectiveRegions([...given, { allowed_data_regions }]))
      })
    )
  })
})
