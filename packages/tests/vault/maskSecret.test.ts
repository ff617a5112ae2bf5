import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maskSecret } from "../../core/src/vault/maskSecret.ts"

const table: readonly (readonly [secret: string, masked: string])[] = [
  ["", "..."],
  ["a", "..."],
  ["hunter2", "..."],
  ["elevenchars", "..."],
  ["twelve-chars", "...rs"],
  ["sk-0123456789abcdefghij", "...ij"],
  ["sk-0123456789abcdefghijk", "sk-...hijk"],
  ["sk_live_0123456789abcdefghij", "sk_...ghij"],
  ["sk-proj-0123456789abcdefghij", "sk-...ghij"],
  ["gsk_0123456789abcdefghijklmn", "gsk_...klmn"],
  ["glc_eyJvIjoiMTIzNDU2Nzg5MCJ9AbCd", "glc_...AbCd"],
  ["lsv2_0123456789abcdefghijAbCd", "ls...AbCd"],
  ["space_0123456789abcdefghEfGh", "sp...EfGh"],
  ["AKIAIOSFODNN7EXAMPLEABCD", "AK...ABCD"],
  ["-0123456789abcdefghijklmn", "-...klmn"],
  ["_-0123456789abcdefghijklmn", "_...klmn"],
  ["a-b-0123456789abcdefghijkl", "a-...ijkl"],
  ["abc-0123456789abcdefghijkl", "abc-...ijkl"],
  ["abcd-0123456789abcdefghijk", "ab...hijk"],
  ["😀".repeat(11), "..."],
  ["😀".repeat(12), "...😀😀"],
  ["😀".repeat(23), "...😀😀"],
  ["😀".repeat(24), "😀😀...😀😀😀😀"],
  ["{}", "{...}"],
  ["[]", "{...}"],
  [' \n{"type":"service_account","private_key":"-----BEGIN"} ', "{...}"],
  ['["a","b"]', "{...}"],
  ['{"type":"service_account", not json', '{"...json'],
  ["{0123456789}", "...9}"],
  ['"a string in quotes, no object"', '"a...ect"'],
  ["123456789012345678901234", "12...1234"]
]

const points = (text: string) => [...text].length

describe("maskSecret", () => {
  it("masks", () => {
    for (const [secret, masked] of table) assert.strictEqual(maskSecret(secret), masked, secret)
  })

  it("shows at most 8 characters and at most a third, and only the ends", () => {
    const secrets = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.string({ unit: fc.constantFrom("-", "_", "a", "."), maxLength: 60 })
    )
    fc.assert(
      fc.property(secrets, (secret) => {
        const masked = maskSecret(secret)
        if (masked === "{...}") {
          assert.isObject(Object(JSON.parse(secret)))
          return
        }
        const shown = points(masked) - 3
        assert.isAtMost(shown, 8)
        assert.isAtMost(shown * 3, points(secret))
        const tail = shown === 0 ? 0 : points(secret) < 24 ? 2 : 4
        const characters = [...masked]
        assert.deepStrictEqual(characters.slice(shown - tail, shown - tail + 3), [".", ".", "."])
        assert.isTrue(secret.startsWith(characters.slice(0, shown - tail).join("")))
        assert.isTrue(secret.endsWith(characters.slice(shown - tail + 3).join("")))
      }),
      { numRuns: 2000 }
    )
  })

  it("shows nothing of any JSON object or array", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        assert.strictEqual(maskSecret(JSON.stringify(value, null, 1)), "{...}")
      })
    )
  })
})
