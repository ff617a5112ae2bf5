/**
 * The core's platform services from `node:crypto`, synchronously: no thread and no promise per digest, but of what is long.
 *
 * They answer exactly what the core's WebCrypto defaults answer; a test holds them to it.
 */
import {
  Cipher,
  type CipherFunctions,
  Digest,
  type DigestFunctions,
  Entropy,
  type EntropySource
} from "@gatewarden/core/effect"
import { Effect, Layer } from "effect"
import { createCipheriv, createDecipheriv, hash, randomBytes, randomFillSync, randomUUID } from "node:crypto"
import { layerScanning } from "../contentFilter/layerScanning.ts"

/** Plain bytes: a Buffer slices and prints unlike the core's other byte arrays. */
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)

/** WebCrypto's work on a thread of its own, which is worth its way from so many bytes or UTF-16 code units. */
const onThread = Digest.defaultValue()
const longSize = 524_288

export const nodeDigest: DigestFunctions = {
  sha256: (data) =>
    data.length > longSize ? onThread.sha256(data) : Effect.sync(() => plain(hash("sha256", data, "buffer"))),
  // At once: every request has its key digested.
  sha256Hex: (data) => (data.length > longSize ? onThread.sha256Hex(data) : Effect.succeed(hash("sha256", data, "hex")))
}

const algorithm = "aes-256-gcm"
const authTagLength = 16

export const nodeCipher: CipherFunctions = {
  encrypt: (key, nonce, plaintext, associated) =>
    Effect.sync(() => {
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength })
      cipher.setAAD(associated)
      return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
    }),
  decrypt: (key, nonce, ciphertext, associated) =>
    Effect.sync(() => {
      if (ciphertext.length < authTagLength) return undefined
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength })
      decipher.setAAD(associated)
      decipher.setAuthTag(ciphertext.subarray(ciphertext.length - authTagLength))
      try {
        const text = decipher.update(ciphertext.subarray(0, ciphertext.length - authTagLength))
        return new Uint8Array(Buffer.concat([text, decipher.final()]))
      } catch {
        return undefined
      }
    })
}

/** Randomness is asked for by the block: a call costs much more than the few bytes of an id. */
const block = new Uint8Array(4_096)
let unused = block.length

const fewBytes = (size: number): Uint8Array => {
  if (unused + size > block.length) {
    randomFillSync(block)
    unused = 0
  }
  const taken = block.slice(unused, unused + size)
  // Nobody finds here what was given away.
  block.fill(0, unused, unused + size)
  unused += size
  return taken
}

export const nodeEntropy: EntropySource = {
  bytes: (size) => (size <= 64 ? fewBytes(size) : plain(randomBytes(size))),
  uuid: () => randomUUID()
}

export const layerPlatform: Layer.Layer<never> = Layer.mergeAll(
  Layer.succeed(Digest, nodeDigest),
  Layer.succeed(Cipher, nodeCipher),
  Layer.succeed(Entropy, nodeEntropy),
  layerScanning
)
