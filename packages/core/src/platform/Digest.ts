/** SHA-256. WebCrypto by default; a platform with a synchronous digest gives a faster one. */
import { Context, Effect } from "effect"
import * as Hex from "effect/encoding/Hex"

export interface DigestFunctions {
  /** SHA-256 of bytes, or of the UTF-8 of a string. */
  readonly sha256: (data: string | Uint8Array) => Effect.Effect<Uint8Array>
  /** The same in lowercase hexadecimal. */
  readonly sha256Hex: (data: string | Uint8Array) => Effect.Effect<string>
}

const utf8 = new TextEncoder()

const webCrypto = (data: string | Uint8Array) =>
  Effect.map(
    Effect.promise(() =>
      crypto.subtle.digest("SHA-256", (typeof data === "string" ? utf8.encode(data) : data) as BufferSource)
    ),
    (digest) => new Uint8Array(digest)
  )

export const Digest = Context.Reference<DigestFunctions>("gatewarden/Digest", {
  defaultValue: () => ({ sha256: webCrypto, sha256Hex: (data) => Effect.map(webCrypto(data), Hex.encode) })
})

const blockLength = 64

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** HMAC-SHA-256 (RFC 2104) over the platform's digest. */
export const hmac = Effect.fnUntraced(function* (secret: Uint8Array, message: Uint8Array) {
  const { sha256 } = yield* Digest
  const key = secret.length > blockLength ? yield* sha256(secret) : secret
  const pad = (byte: number) => {
    const block = new Uint8Array(blockLength).fill(byte)
    for (let index = 0; index < key.length; index++) block[index] = (key[index] ?? 0) ^ byte
    return block
  }
  return yield* sha256(concat(pad(0x5c), yield* sha256(concat(pad(0x36), message))))
})

/** Compares in constant time. */
export const equalInConstantTime = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (const [index, value] of a.entries()) difference |= value ^ (b[index] ?? 0)
  return difference === 0
}
