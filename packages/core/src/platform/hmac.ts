/** HMAC-SHA-256 (RFC 2104) over the platform's digest. */
import { Effect } from "effect"
import { Digest } from "./Digest.ts"

const blockLength = 64

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

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
