import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { BytesInFlight } from "../../src/http/BytesInFlight.ts"

const reasons = { process: "bodies_in_flight", key: "key_bodies_in_flight" } as const
const counting = (process: number, key: number) => new BytesInFlight({ process, key }, reasons)

describe("bytes in flight", () => {
  it("of one key are 429, of all 503; each says when to come again", () => {
    const bytes = counting(250, 100)
    const [a, b, c, d] = ["a", "a", "b", "c"].map((key) => bytes.hold(key))
    assert.isUndefined(a?.take(100))
    const ofKey = b?.take(1)
    assert.deepInclude(ofKey, { status: 429, reason: "key_bodies_in_flight", retryAfterSeconds: 5 })
    assert.include(ofKey?.issues?.[0]?.message, "100 bytes")
    assert.isUndefined(c?.take(100))
    assert.deepInclude(d?.take(51), { status: 503, reason: "bodies_in_flight", retryAfterSeconds: 5 })
    assert.isUndefined(d?.take(50))
    a?.release()
    assert.isUndefined(b?.take(1))
  })

  it("let one body in that is larger than its cap, and no other beside it", () => {
    const bytes = counting(10, 5)
    const [large, other] = [bytes.hold("a"), bytes.hold("b")]
    assert.isUndefined(large.take(8))
    assert.isUndefined(large.take(8))
    assert.strictEqual(other.take(1)?.status, 503)
    large.release()
    assert.isUndefined(other.take(1))
  })

  it("are what was taken and not given back, whatever was refused between", () => {
    const step = fc.record({ holder: fc.nat(4), bytes: fc.nat(60), isOver: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const counted = counting(120, 70)
        const holders = ["a", "a", "b", "b", "c"].map((key) => ({ key, held: 0, bytes: counted.hold(key) }))
        for (const { holder, bytes, isOver } of steps) {
          const one = holders[holder] ?? assert.fail()
          if (isOver) {
            one.bytes.release()
            one.held = 0
          } else if (one.bytes.take(bytes) === undefined) one.held += bytes
          const total = holders.reduce((sum, { held }) => sum + held, 0)
          assert.strictEqual(counted.size, total)
          const isAlone = holders.filter(({ held }) => held > 0).length <= 1
          assert.isTrue(isAlone || total <= 120)
        }
        for (const { bytes } of holders) bytes.release()
        assert.strictEqual(counted.size, 0)
      })
    )
  })
})
