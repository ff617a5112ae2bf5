/** What a platform without anything of its own encrypts, digests and draws with: WebCrypto. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createCipheriv, createHash } from "node:crypto"
import { Cipher } from "../../core/src/platform/Cipher.ts"
import { Digest } from "../../core/src/platform/Digest.ts"
import { Entropy } from "../../core/src/platform/Entropy.ts"
import { OutgoingFetch } from "../../core/src/platform/OutgoingFetch.ts"
import { publicFetch } from "../../core/src/platform/Fetch.ts"
import { ProcessName } from "../../core/src/platform/ProcessName.ts"

const bytes = (size: number, from: number) => Uint8Array.from({ length: size }, (_, index) => (index * 7 + from) & 0xff)
const flipped = (data: Uint8Array, place: number) => data.with(place, (data[place] ?? 0) ^ 1)
const [key, nonce, associated, text] = [bytes(32, 1), bytes(12, 2), bytes(5, 3), bytes(40, 4)]

describe("the cipher", () => {
  it.effect("is AES-256-GCM, with the tag of 16 bytes at the end", () =>
    Effect.gen(function* () {
      const own = createCipheriv("aes-256-gcm", key, nonce).setAAD(associated)
      const expected = Buffer.concat([own.update(text), own.final(), own.getAuthTag()])
      const { encrypt, decrypt } = Cipher.defaultValue()
      const sealed = yield* encrypt(key, nonce, text, associated)
      assert.strictEqual(Buffer.from(sealed).toString("hex"), expected.toString("hex"))
      assert.deepStrictEqual(yield* decrypt(key, nonce, sealed, associated), text)
      assert.lengthOf(yield* encrypt(key, nonce, new Uint8Array(), associated), 16)
    })
  )

  it.effect("opens nothing where anything does not match", () =>
    Effect.gen(function* () {
      const { encrypt, decrypt } = Cipher.defaultValue()
      const sealed = yield* encrypt(key, nonce, text, associated)
      for (const opened of [
        decrypt(flipped(key, 31), nonce, sealed, associated),
        decrypt(key.subarray(1), nonce, sealed, associated),
        decrypt(key, flipped(nonce, 0), sealed, associated),
        decrypt(key, nonce, flipped(sealed, 0), associated),
        decrypt(key, nonce, flipped(sealed, sealed.length - 1), associated),
        decrypt(key, nonce, sealed.subarray(0, 15), associated),
        decrypt(key, nonce, sealed, flipped(associated, 4))
      ])
        assert.isUndefined(yield* opened)
    })
  )
})

describe("the digest", () => {
  it.effect("is SHA-256 of bytes, and of the UTF-8 of a text", () =>
    Effect.gen(function* () {
      const { sha256, sha256Hex } = Digest.defaultValue()
      for (const data of ["", "é\u{1f600}", bytes(100, 5)]) {
        const hex = createHash("sha256").update(data).digest("hex")
        assert.strictEqual(Buffer.from(yield* sha256(data)).toString("hex"), hex)
        assert.strictEqual(yield* sha256Hex(data), hex)
      }
    })
  )
})

describe("what is drawn", () => {
  it("is as many bytes as are asked for, and a UUID, another one each time", () => {
    const { bytes, uuid } = Entropy.defaultValue()
    assert.lengthOf(bytes(0), 0)
    assert.lengthOf(bytes(16), 16)
    assert.notDeepEqual(bytes(16), bytes(16))
    assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.notStrictEqual(uuid(), uuid())
  })
})

describe("a platform that sets nothing", () => {
  it("has no name, and sends requests to public addresses alone", () => {
    assert.deepStrictEqual(ProcessName.defaultValue(), { host: "", pid: null })
    assert.strictEqual(OutgoingFetch.defaultValue(), publicFetch)
  })
})
