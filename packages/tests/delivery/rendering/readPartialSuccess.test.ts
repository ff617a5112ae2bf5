/** Answers of intakes, encoded by the code that OpenTelemetry generates from its protobuf files. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { partialSuccess } from "@gatewarden/testkit/delivery/platforms/readSpans"
import { readPartialSuccess } from "../../../core/src/delivery/rendering/judgeOtlp.ts"

const encoded = (rejectedSpans: number, errorMessage: string): Uint8Array =>
  partialSuccess("application/x-protobuf", rejectedSpans, errorMessage)

const utf8 = new TextEncoder()

describe("what an intake says of rejected spans", () => {
  it("is read in protobuf as it was written", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 }),
        fc.string({ unit: "grapheme" }),
        (rejectedSpans, errorMessage) => {
          const read = readPartialSuccess(encoded(rejectedSpans, errorMessage))
          assert.deepEqual(read, { rejected: rejectedSpans, message: errorMessage })
        }
      )
    )
  })

  it("is read in JSON, where a count is text", () => {
    const json = (answer: unknown) => readPartialSuccess(utf8.encode(JSON.stringify(answer)))
    assert.deepEqual(json({ partialSuccess: { rejectedSpans: "128", errorMessage: "old" } }), {
      rejected: 128,
      message: "old"
    })
    assert.deepEqual(json({ partialSuccess: { rejectedSpans: "many" } }), { rejected: 0, message: "" })
    for (const answer of [{}, { partialSuccess: null }]) assert.isUndefined(json(answer))
  })

  it("is nothing where the answer is something else, and whatever was cut off", () => {
    for (const text of ["", "<html>", "{", "OK"]) assert.isUndefined(readPartialSuccess(utf8.encode(text)), text)
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readPartialSuccess(bytes)))
    const long = encoded(300, "x".repeat(1_000))
    assert.strictEqual(readPartialSuccess(long.subarray(0, 100))?.rejected, 300)
  })
})
