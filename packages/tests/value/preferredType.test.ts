import { assert, describe, it } from "@effect/vitest"
import { preferredType, PrintedAnswer, StreamedAnswer } from "../../core/src/value/PrintedAnswer.ts"

const types = ["application/json", "text/csv"]

describe("the type that a client wants", () => {
  it("is the one of the greatest quality among those that it names", () => {
    for (const [accept, type] of [
      [undefined, undefined],
      ["", undefined],
      ["*/*", undefined],
      ["text/html", undefined],
      ["text/csv", "text/csv"],
      ["application/json", "application/json"],
      ["TEXT/CSV", "text/csv"],
      ["  text/csv ;charset=utf-8", "text/csv"],
      ["text/csv;q=0.4, application/json;q=0.5", "application/json"],
      ["text/csv;q=0.5,application/json;q=0.4", "text/csv"],
      ["text/csv; q=0.5, application/json", "application/json"],
      ["text/csv; Q=0.5, application/json; charset=q=1; q=0.4", "text/csv"],
      ["text/html, application/json;q=0.1", "application/json"],
      ["text/csv;q=0", undefined],
      ["text/csv;q=0, application/json;q=0.001", "application/json"],
      ["text/csv;q=much", undefined],
      ["text/csv;charset=utf-8;q=0.2, application/json;header=present;q=0.1", "text/csv"],
      ["text/csv;faq=9", "text/csv"]
    ] as const)
      assert.strictEqual(preferredType(accept, types), type, accept)
  })

  it("is the last of two that it wants as much, in the server's order", () => {
    for (const accept of [
      "text/csv, application/json",
      "application/json, text/csv",
      "text/csv;q=1, application/json"
    ]) {
      assert.strictEqual(preferredType(accept, types), "text/csv")
      assert.strictEqual(preferredType(accept, types.toReversed()), "application/json")
    }
  })
})

describe("an answer", () => {
  it("has its bytes, its entity tag and its type, which is JSON unless it is named", () => {
    const bytes = Uint8Array.of(1)
    assert.deepEqual({ ...new PrintedAnswer(bytes, '"a"') }, { bytes, etag: '"a"', contentType: undefined })
    assert.strictEqual(new PrintedAnswer(bytes, '"a"', "text/csv").contentType, "text/csv")
    const body = new ReadableStream<Uint8Array>()
    const headers = { "content-disposition": "attachment" }
    assert.deepEqual({ ...new StreamedAnswer(body, "text/csv", headers) }, { body, contentType: "text/csv", headers })
  })
})
