import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { crc32 } from "node:zlib"
import { checkKeyFormat, generateKey, keyLabel } from "../../core/src/access/keyFormat.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size))
const zeros = (size: number) => new Uint8Array(size)

const kinds = fc.constantFrom("management" as const, "gateway" as const, "normal" as const)
const keys = fc
  .tuple(kinds, fc.uint8Array({ minLength: 256, maxLength: 256 }))
  .map(([kind, bytes]) => generateKey(kind, cycling([...bytes, 0, 1, 2, 3])))

/** A source that gives the same bytes over and over. */
function cycling(bytes: readonly number[]) {
  let next = 0
  return (size: number) => Uint8Array.from({ length: size }, () => bytes[next++ % bytes.length] ?? 0)
}

describe("generateKey", () => {
  it("is a prefix, 43 digits and the checksum of both", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const [, payload = "", checksum = ""] = /^(gw[gm]?-v1-[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(key) ?? []
        const value = [...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
        assert.strictEqual(value, crc32(payload))
      })
    )
  })

  it("is the same for the same bytes, forever", () => {
    assert.strictEqual(generateKey("normal", zeros), "gw-v1-" + "0".repeat(43) + "3p9pVw")
    assert.strictEqual(generateKey("management", zeros), "gwm-v1-" + "0".repeat(43) + "4JRwEY")
  })

  it("draws every digit alike: 248 of 256 bytes count, four for each digit", () => {
    const drawn = new Map<string, number>()
    for (let byte = 0; byte < 256; byte++) {
      const digit = generateKey("normal", cycling(byte < 248 ? [byte] : [byte, 61]))[6] ?? ""
      if (byte < 248) drawn.set(digit, (drawn.get(digit) ?? 0) + 1)
      else assert.strictEqual(digit, "z", "skipped")
    }
    assert.deepStrictEqual([...drawn.keys()].sort(), [...digits].sort())
    assert.deepStrictEqual([...new Set(drawn.values())], [4])
  })

  it("asks for fresh bytes until it has enough", () => {
    const key = generateKey(
      "normal",
      (() => {
        let call = 0
        return (size: number) => new Uint8Array(size).fill(call++ < 3 ? 255 : 10)
      })()
    )
    assert.isTrue(key.startsWith(`gw-v1-${"A".repeat(43)}`))
    assert.strictEqual(new Set(Array.from({ length: 200 }, () => generateKey("management", random))).size, 200)
  })
})

describe("checkKeyFormat", () => {
  it("knows its own", () => {
    fc.assert(fc.property(keys, (key) => assert.strictEqual(checkKeyFormat(key), "well_formed")))
  })

  it("sees every single wrong character, and every swap of neighbours", () => {
    fc.assert(
      fc.property(keys, fc.nat(), fc.constantFrom(...digits, "-", "é", " "), (key, place, character) => {
        const at = key.indexOf("v1-") + 3 + (place % 49)
        const typo = key.slice(0, at) + character + key.slice(at + 1)
        assert.strictEqual(checkKeyFormat(typo), typo === key ? "well_formed" : "bad_checksum")
        const swapped = key.slice(0, at - 1) + (key[at] ?? "") + (key[at - 1] ?? "") + key.slice(at + 1)
        if (swapped !== key) assert.notStrictEqual(checkKeyFormat(swapped), "well_formed")
      }),
      { numRuns: 1000 }
    )
  })

  it("sees truncation, additions and the other prefix", () => {
    const key = generateKey("normal", random)
    const other = generateKey("management", random)
    for (const wrong of [
      key.slice(0, -1),
      key + "0",
      key + "\n",
      "gw-v1-",
      "gwm-v1-",
      "gwm-v1-" + key.slice(6),
      "gw-v1-" + other.slice(7)
    ])
      assert.strictEqual(checkKeyFormat(wrong), "bad_checksum", wrong)
  })

  it("refuses another length or alphabet even with the right checksum", () => {
    const checksum = (payload: string) => {
      let [value, text] = [crc32(payload), ""]
      for (; text.length < 6; value = Math.floor(value / 62)) text = (digits[value % 62] ?? "") + text
      return text
    }
    const withChecksum = (payload: string) => payload + checksum(payload)
    assert.strictEqual(checkKeyFormat(withChecksum(`gw-v1-${"a".repeat(43)}`)), "well_formed")
    for (const payload of ["gw-v1-", `gw-v1-${"a".repeat(42)}`, `gw-v1-${"a".repeat(44)}`, `gw-v1-${"a".repeat(42)}-`])
      assert.strictEqual(checkKeyFormat(withChecksum(payload)), "bad_checksum", payload)
  })

  it("leaves other keys to the look-up", () => {
    for (const foreign of [
      "",
      "gw-v1",
      "GW-V1-abc",
      "gw-v2-abc",
      "gwx-v1-abc",
      " gw-v1-abc",
      "sk-xy-v1-abc",
      "x".repeat(256)
    ])
      assert.strictEqual(checkKeyFormat(foreign), "foreign", foreign)
  })
})

describe("keyLabel", () => {
  it("shows prefix, three characters and three characters", () => {
    fc.assert(
      fc.property(keys, (key) => {
        const prefix = key.slice(0, key.indexOf("v1-") + 3)
        assert.strictEqual(keyLabel(key), `${key.slice(0, prefix.length + 3)}...${key.slice(-3)}`)
        assert.strictEqual(keyLabel(key).length, prefix.length + 9)
      })
    )
  })

  it("masks every other key as a secret", () => {
    assert.strictEqual(keyLabel("sk-xy-v1-0123456789abcdef0123456789abcdef"), "sk-...cdef")
    assert.strictEqual(keyLabel("gw-v1-short"), "...")
    assert.strictEqual(keyLabel("gw-v1-" + "0".repeat(49)), "gw-...0000")
  })
})
