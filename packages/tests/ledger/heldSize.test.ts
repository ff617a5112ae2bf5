import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { emptySize } from "./sizes.ts"
import { AdmissionSettings, packSize, unpackSize } from "../../core/src/ledger/AdmissionSettings.ts"

const count = fc.nat(2 ** 31)
const size = fc.record({
  text_bytes: fc.option(count),
  images: count,
  opaque_parts: count,
  completion_tokens: count,
  prediction_bytes: count,
  choices: count,
  server_tools: fc.array(fc.record({ field: fc.string(), name: fc.string(), most: fc.option(count) })),
  may: fc.record({
    read_audio: fc.boolean(),
    cache: fc.boolean(),
    cache_1h: fc.boolean(),
    write_audio: fc.boolean(),
    write_images: fc.boolean()
  })
})

describe("the size that is kept with a hold", () => {
  it("is read as it was written", () => {
    fc.assert(fc.property(size, (written) => assert.deepEqual(unpackSize(packSize(written)), written)))
  })

  it("is unknown where another version wrote it", () => {
    for (const packed of ["{}", "[]", "[1,2,3]", '[1,2,3,4,5,6,"7"]', "[1,2,3,4,5,6,7,8]", '[1,2,3,4,5,6,7,["a"]]'])
      assert.isUndefined(unpackSize(packed), packed)
  })

  it("is unknown where any of its parts is none that it may have", () => {
    const tool = ["tools.0", "web_search", 3]
    const written: readonly unknown[] = [1, 2, 3, 4, 5, 6, 7, tool, ["plugins.1", "web", null]]
    const read = (values: readonly unknown[]) => unpackSize(JSON.stringify(values))
    assert.deepInclude(read(written), {
      text_bytes: 1,
      server_tools: [
        { field: "tools.0", name: "web_search", most: 3 },
        { field: "plugins.1", name: "web", most: null }
      ]
    })
    assert.strictEqual(read(written.with(0, null))?.text_bytes, null)
    for (const place of written.keys())
      for (const other of [null, "1", 1.5, true, [], {}, 2 ** 53, ["f", "n"], [1, "n", 3], ["f", 2, 3]])
        if (place > 0 || other !== null)
          assert.isUndefined(read(written.with(place, other)), `${place}: ${JSON.stringify(other)}`)
    for (const most of ["3", 1.5, true, {}])
      assert.isUndefined(read(written.with(7, ["f", "n", most])), JSON.stringify(most))
    for (const packed of ["null", "1", '"1"', "{}"]) assert.isUndefined(unpackSize(packed), packed)
  })

  it("keeps each kind of tokens that may be used apart from the others", () => {
    const none = { read_audio: false, cache: false, cache_1h: false, write_audio: false, write_images: false }
    const sizes = { ...emptySize, server_tools: [] }
    for (const [place, kind] of Object.keys(none).entries()) {
      const written = { ...sizes, may: { ...none, [kind]: true } }
      assert.strictEqual(packSize(written), `[0,0,0,0,0,1,${2 ** place}]`)
      assert.deepEqual(unpackSize(packSize(written)), written)
    }
  })
})

describe("an installation that sets nothing", () => {
  it("holds 4,096 tokens of a completion without a limit, one attempt, and removes what has no known cost", () => {
    assert.deepEqual(AdmissionSettings.defaultValue(), {
      completion_ceiling: 4_096,
      billed_attempts: 1,
      unpriced_ceiling_usd: null
    })
  })
})
