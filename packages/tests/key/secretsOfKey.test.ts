import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mostFormerSecrets, mostKnownSecrets, type StoredSecret } from "../../core/src/ports/keys.ts"
import { endOfSecret, rotatedSecrets } from "../../core/src/access/secretsOfKey.ts"

const rotations = fc.array(fc.record({ wait: fc.nat({ max: 100 }), overlap: fc.nat({ max: 100 }) }), {
  minLength: 1,
  maxLength: 2 * mostKnownSecrets
})

describe("secrets of a key", () => {
  it("open it until they end, and not at that millisecond", () => {
    const key = {
      hash: "a",
      secrets: [
        { hash: "a", ends_at: 10, has_ended: false },
        { hash: "b", ends_at: null, has_ended: false }
      ]
    }
    assert.deepEqual(
      [9, 10, 11].map((now) => endOfSecret(key, "a", now)),
      [undefined, 10, 10]
    )
    assert.isUndefined(endOfSecret(key, "b", Infinity))
    const ended = { hash: "a", secrets: [{ hash: "a", ends_at: 10, has_ended: true }] }
    assert.strictEqual(endOfSecret(ended, "a", 9), 10)
    assert.isNull(endOfSecret(key, "c", 0))
    assert.isUndefined(endOfSecret({ hash: "a", secrets: [] }, "a", 0))
    assert.isNull(endOfSecret({ hash: "a", secrets: [] }, "b", 0))
  })

  it("end in the order in which they were made, and few are left", () => {
    fc.assert(
      fc.property(rotations, (steps) => {
        let now = 0
        let secrets: readonly StoredSecret[] = [{ hash: "0", ends_at: null }]
        for (const [place, { wait, overlap }] of steps.entries()) {
          now += wait
          const before = new Map(secrets.map(({ hash, ends_at }) => [hash, ends_at]))
          secrets = rotatedSecrets(secrets, String(place + 1), now, now + overlap)
          const ends = secrets.map(({ ends_at }) => ends_at ?? Infinity)
          assert.deepEqual(
            ends,
            ends.toSorted((a, b) => a - b)
          )
          assert.strictEqual(ends.filter((end) => end === Infinity).length, 1)
          assert.isAtMost(ends.filter((end) => end > now).length, 1 + mostFormerSecrets)
          assert.isAtMost(secrets.length, mostKnownSecrets)
          assert.strictEqual(secrets.at(-1)?.hash, String(place + 1))
          // None gets a later end than it has.
          for (const { hash, ends_at } of secrets.slice(0, -1))
            assert.isAtMost(ends_at ?? Infinity, before.get(hash) ?? Infinity)
        }
      })
    )
  })
})
