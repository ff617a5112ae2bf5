import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { packSize, unpackSize } from "../../core/src/ledger/AdmissionSettings.ts"

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
})
