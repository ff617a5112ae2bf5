import { assert, describe, it } from "@effect/vitest"
import { Cipher, Digest, Entropy } from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as fc from "fast-check"
import { createCipheriv, createHash } from "node:crypto"
import {
  ciphering,
  hashing,
  layerPlatform,
  nodeCipher,
  nodeDigest,
  nodeEntropy
} from "../../../node/src/platform/layerPlatform.ts"

const webCipher = Cipher.defaultValue()
const webDigest = Digest.defaultValue()

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 })
const bytes = fc.uint8Array({ maxLength: 300 })

const digested = (data: string | Uint8Array) => Effect.runPromise(webDigest.sha256(data))

const stepsOf = (steps: Iterator<unknown>): number => {
  for (let count = 1; ; count++) if (steps.next().done === true) return count
}

const check = (property: fc.IAsyncProperty<readonly unknown[]>) =>
  Effect.promise(() => fc.assert(property as fc.IAsyncProperty<unknown>))

describe("platform services of Node", () => {
  it.effect("digest, encrypt and decrypt what is long in steps", () =>
    Effect.gen(function* () {
      const size = 3 * 1_048_576 + 1
      for (const data of ["é".repeat(size / 2), new Uint8Array(size).fill(7)]) {
        assert.isAtLeast(stepsOf(hashing(data)), 12)
        assert.strictEqual(yield* nodeDigest.sha256Hex(data), createHash("sha256").update(data).digest("hex"))
        assert.deepStrictEqual(yield* nodeDigest.sha256(data), yield* Effect.promise(() => digested(data)))
      }
      const [key, nonce, text, place] = [32, 12, size, 5].map((length) => new Uint8Array(length).fill(length % 251))
      if (key === undefined || nonce === undefined || text === undefined || place === undefined) return assert.fail()
      assert.isAtLeast(stepsOf(ciphering(createCipheriv("aes-256-gcm", key, nonce), text, 16)), 12)
      const sealed = yield* nodeCipher.encrypt(key, nonce, text, place)
      assert.deepStrictEqual(sealed, yield* webCipher.encrypt(key, nonce, text, place))
      assert.deepStrictEqual(yield* nodeCipher.decrypt(key, nonce, sealed, place), text)
      sealed[size - 1]! ^= 1
      assert.isUndefined(yield* nodeCipher.decrypt(key, nonce, sealed, place))
    })
  )

  it.effect("digest as WebCrypto does", () =>
    check(
      fc.asyncProperty(fc.oneof(bytes, fc.string({ unit: "binary" })), async (data) => {
        assert.deepStrictEqual(
          await Effect.runPromise(nodeDigest.sha256(data)),
          await Effect.runPromise(webDigest.sha256(data))
        )
        assert.strictEqual(
          await Effect.runPromise(nodeDigest.sha256Hex(data)),
          await Effect.runPromise(webDigest.sha256Hex(data))
        )
      })
    )
  )

  it.effect("encrypt as WebCrypto does, and decrypt what it encrypts", () =>
    check(
      fc.asyncProperty(key, nonce, bytes, bytes, async (key, nonce, plaintext, associated) => {
        const sealed = await Effect.runPromise(nodeCipher.encrypt(key, nonce, plaintext, associated))
        assert.deepStrictEqual(sealed, await Effect.runPromise(webCipher.encrypt(key, nonce, plaintext, associated)))
        assert.deepStrictEqual(await Effect.runPromise(nodeCipher.decrypt(key, nonce, sealed, associated)), plaintext)
      })
    )
  )

  it.effect("open nothing that was changed, as WebCrypto does not", () =>
    check(
      fc.asyncProperty(
        key,
        nonce,
        bytes,
        bytes,
        fc.nat(),
        fc.constantFrom("key", "nonce", "sealed", "associated", "cut"),
        async (key, nonce, plaintext, associated, at, what) => {
          const sealed = await Effect.runPromise(nodeCipher.encrypt(key, nonce, plaintext, associated))
          const given = {
            key,
            nonce,
            sealed,
            associated: associated.length === 0 ? Uint8Array.of(1) : associated.slice()
          }
          if (what === "cut") given.sealed = sealed.slice(0, at % sealed.length)
          else if (what !== "associated" || associated.length > 0) {
            const target = (given[what] = given[what].slice())
            target[at % target.length]! ^= 1
          }
          for (const cipher of [nodeCipher, webCipher])
            assert.isUndefined(
              await Effect.runPromise(cipher.decrypt(given.key, given.nonce, given.sealed, given.associated))
            )
        }
      )
    )
  )

  it.effect("stand in for the core's defaults", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Digest, nodeDigest)
      assert.strictEqual(yield* Cipher, nodeCipher)
      assert.strictEqual(yield* Entropy, nodeEntropy)
    }).pipe(Effect.provide(layerPlatform))
  )

  it("give as many bytes as asked, of their own, and version 4 ids", () => {
    const first = nodeEntropy.bytes(32)
    assert.lengthOf(first, 32)
    assert.notDeepEqual(first, nodeEntropy.bytes(32))
    assert.strictEqual(first.constructor, Uint8Array)
    assert.match(nodeEntropy.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
