import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { cutMessages } from "../../postgres/src/connection/cutMessages.ts"

const message = (type: number, body: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(5 + body.length)
  bytes[0] = type
  new DataView(bytes.buffer).setInt32(1, 4 + body.length)
  bytes.set(body, 5)
  return bytes
}

const query = fc.uint8Array({ maxLength: 40 }).map((body) => message(0x51, body))

describe("cutMessages", () => {
  it("ends after the last whole message, and knows how much the next one needs", () => {
    fc.assert(
      fc.property(fc.array(query), query, fc.nat(), (whole, last, cut) => {
        const kept = cut % last.length
        const end = whole.reduce((sum, { length }) => sum + length, 0)
        const result = cutMessages(Buffer.concat([...whole, last.subarray(0, kept)]))
        const needed = end + (kept < 5 ? 5 : last.length)
        assert.deepStrictEqual(result, { end, needed, terminated: false })
      })
    )
  })

  it("stops before Terminate", () => {
    const first = message(0x51, new Uint8Array(3))
    const bytes = Buffer.concat([first, message(0x58, new Uint8Array(0)), first])
    assert.deepStrictEqual(cutMessages(bytes), { end: first.length, needed: first.length, terminated: true })
  })

  it("refuses a length that cannot be", () => {
    assert.throws(() => cutMessages(Uint8Array.of(0x51, 0, 0, 0, 3)), RangeError)
    assert.throws(() => cutMessages(Uint8Array.of(0x51, 0xff, 0xff, 0xff, 0xff)), RangeError)
  })
})
