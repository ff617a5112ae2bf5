import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { newKeyring, parseKeyring } from "../../core/src/vault/Keyring.ts"

const keyOf = (byte: number, size = 32): string => btoa(String.fromCharCode(...new Uint8Array(size).fill(byte)))

const read = (text: string) => {
  const parsed = parseKeyring(text)
  return "problem" in parsed
    ? parsed.problem
    : [parsed.keyring.primary.id, [...parsed.keyring.byId].map(([id, { key }]) => [id, ...Redacted.value(key)])]
}

const of = (byte: number) => Array.from({ length: 32 }, () => byte)

describe("parseKeyring", () => {
  it("reads the keys in their order, the first as primary, blanks around them aside", () => {
    assert.deepEqual(read(`b:${keyOf(1)}`), ["b", [["b", ...of(1)]]])
    assert.deepEqual(read(` b-1 : ${keyOf(1)} , a.2_C:${keyOf(255)}\n`), [
      "b-1",
      [
        ["b-1", ...of(1)],
        ["a.2_C", ...of(255)]
      ]
    ])
    assert.deepEqual(read(`${"k".repeat(64)}:${keyOf(1)}`), ["k".repeat(64), [["k".repeat(64), ...of(1)]]])
  })

  it("says which entry is wrong and why, and nothing of the key", () => {
    const noId = (nth: number) => `entry ${nth} needs an id of letters, digits, ".", "_" or "-" before a colon`
    const noKey = (nth: number, id: string) => `entry ${nth} ("${id}") is not the base64 of 32 bytes`
    assert.strictEqual(read(""), noId(1))
    assert.strictEqual(read(keyOf(1)), noId(1))
    assert.strictEqual(read(`:${keyOf(1)}`), noId(1))
    assert.strictEqual(read(`a b:${keyOf(1)}`), noId(1))
    assert.strictEqual(read(`${"k".repeat(65)}:${keyOf(1)}`), noId(1))
    assert.strictEqual(read(`a:${keyOf(1)},`), noId(2))
    assert.strictEqual(read(`a:${keyOf(1)},b:${keyOf(2)},a:${keyOf(3)}`), 'entry 3 repeats the id "a"')
    for (const key of ["", "=", "A", keyOf(1, 31), keyOf(1, 33), keyOf(1).replace("=", "*"), `${keyOf(1)}=`])
      assert.strictEqual(read(`a:${keyOf(9)},b:${key}`), noKey(2, "b"))
  })

  it("reads what newKeyring writes", () => {
    const written = newKeyring("k1", (size) => new Uint8Array(size).fill(7))
    assert.deepEqual(read(Redacted.value(written)), ["k1", [["k1", ...of(7)]]])
  })
})
