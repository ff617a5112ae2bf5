/**
 * The core's platform services from `node:crypto`, synchronously: no thread and no promise per digest.
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
import { createCipheriv, createDecipheriv, hash, randomBytes, randomUUID } from "node:crypto"
import { layerScanning } from "../contentFilter/layerScanning.ts"

/** Plain bytes: a Buffer slices and prints unlike the core's other byte arrays. */
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)

export const nodeDigest: DigestFunctions = {
  sha256: (data) => Effect.sync(() => plain(hash("sha256", data, "buffer"))),
  // At once: every request has its key digested.
  sha256Hex: (data) => Effect.succeed(hash("sha256", data, "hex"))
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

export const nodeEntropy: EntropySource = {
  bytes: (size) => plain(randomBytes(size)),
  uuid: () => randomUUID()
}

export const layerPlatform: Layer.Layer<never> = Layer.mergeAll(
  Layer.succeed(Digest, nodeDigest),
  Layer.succeed(Cipher, nodeCipher),
  Layer.succeed(Entropy, nodeEntropy),
  layerScanning
)
