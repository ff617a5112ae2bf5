import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { BytesInFlight } from "../../core/src/http/BytesInFlight.ts"
import { accountShare, defaultBodyLimits, keyShare } from "../../core/src/http/BodyLimits.ts"

const reasons = { process: "bodies_in_flight", key: "key_bodies_in_flight" } as const
const counting = (process: number, key: number) => new BytesInFlight({ process, key }, reasons)

/** A management key of an account of its own. */
const managing = (key: string) => ({ key, account: undefined, reserve: true })
const keyOf = (account: string, key: string) => ({ key, account, reserve: false })
const managementKeyOf = (account: string, key: string) => ({ key, account, reserve: true })

describe("bytes in flight", () => {
  it("of one key are 429, of all 503; each says when to come again", () => {
    const bytes = counting(250, 100)
    const [a, b, c, d] = ["a", "a", "b", "c"].map((key) => bytes.hold(managing(key)))
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

  it("of one account are at most an eighth of all, with any number and kind of keys", () => {
    const bytes = counting(800, 80)
    assert.isUndefined(bytes.hold(keyOf("one", "a")).take(40))
    assert.deepInclude(bytes.hold(keyOf("one", "b")).take(36), { status: 429, reason: "key_bodies_in_flight" })
    assert.isUndefined(bytes.hold(keyOf("one", "b")).take(35))
    assert.isUndefined(bytes.hold(managementKeyOf("one", "c")).take(20))
    const refused = bytes.hold(managementKeyOf("one", "d")).take(6)
    assert.deepInclude(refused, { status: 429, reason: "key_bodies_in_flight" })
    assert.include(refused?.issues?.[0]?.message, "100 bytes in flight of all keys of one account")
    assert.isUndefined(bytes.hold(managementKeyOf("one", "d")).take(5))
    assert.isUndefined(bytes.hold(keyOf("other", "e")).take(50))
  })

  it("of requests without a key are at most an eighth of all, too", () => {
    const bytes = counting(800, 80)
    const nobody = { key: undefined, account: "", reserve: false }
    assert.isUndefined(bytes.hold(nobody).take(60))
    assert.strictEqual(bytes.hold(nobody).take(41)?.status, 429)
    assert.isUndefined(bytes.hold(nobody).take(40))
  })

  it("of one key are at most half of the share of its account, whatever its cap is", () => {
    for (const one of [keyOf("one", "a"), managementKeyOf("one", "a")]) {
      const bytes = counting(800, 1_000)
      assert.isUndefined(bytes.hold(one).take(50))
      const refused = bytes.hold(one).take(1)
      assert.strictEqual(refused?.status, 429)
      assert.include(refused?.issues?.[0]?.message, "50 bytes in flight of one key")
      assert.isUndefined(bytes.hold({ ...one, key: "b" }).take(25))
    }
    for (const kind of ["uploads", "json", "answers"] as const) {
      const { process, key } = defaultBodyLimits[kind]
      assert.strictEqual(key, process / accountShare / keyShare)
    }
  })

  it("of API keys leave management keys of their account a quarter of its share and one body, and the other way round", () => {
    for (const [first, second] of [
      [keyOf, managementKeyOf],
      [managementKeyOf, keyOf]
    ] as const) {
      const bytes = counting(800, 50)
      assert.isUndefined(bytes.hold(first("one", "a")).take(50))
      assert.isUndefined(bytes.hold(first("one", "b")).take(25))
      assert.strictEqual(bytes.hold(first("one", "c")).take(1)?.status, 429)
      const few = [bytes.hold(second("one", "d")), bytes.hold(second("one", "e"))]
      assert.isUndefined(few[0]?.take(12))
      assert.isUndefined(few[1]?.take(13))
      assert.strictEqual(bytes.hold(second("one", "f")).take(1)?.status, 429)
      for (const each of few) each.release()
      assert.isUndefined(bytes.hold(second("one", "d")).take(90))
      assert.strictEqual(bytes.hold(second("one", "e")).take(1)?.status, 429)
    }
  })

  it("leave an eighth for management and gateway keys", () => {
    const bytes = counting(800, 100)
    for (let account = 0; account < 7; account++)
      assert.isUndefined(bytes.hold(keyOf(`${account}`, `key of ${account}`)).take(100))
    assert.deepInclude(bytes.hold(keyOf("late", "late")).take(1), { status: 503, reason: "bodies_in_flight" })
    assert.isUndefined(bytes.hold({ key: undefined, account: undefined, reserve: true }).take(100))
    assert.strictEqual(bytes.hold(managing("b")).take(1)?.status, 503)
  })

  it("let one body in that is larger than its cap, and no other beside it", () => {
    const bytes = counting(10, 5)
    const [large, other] = [bytes.hold(managing("a")), bytes.hold(managing("b"))]
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
        const holders = ["a", "a", "b", "b", "c"].map((key) => ({ key, held: 0, bytes: counted.hold(managing(key)) }))
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
