/**
 * The core's platform services from `node:crypto`, synchronously: no thread and no promise per digest. What is long is done in steps
 * between which others have their turn; WebCrypto would copy all of it in one.
 *
 * They answer exactly what the core's WebCrypto defaults answer; a test holds them to it.
 */
import {
  CacheBytes,
  Cipher,
  type CipherFunctions,
  Digest,
  type DigestFunctions,
  copiedAtOnce,
  pieceBytes,
  ProcessName,
  LoopTurns,
  Entropy,
  type EntropySource,
  inSlices
} from "@gatewarden/core/internal"
import { Effect, Layer } from "effect"
import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHash,
  type DecipherGCM,
  hash,
  randomBytes,
  randomFillSync,
  randomUUID
} from "node:crypto"
import { hostname } from "node:os"
import { getHeapStatistics } from "node:v8"
import { layerScanning } from "../filter/layerScanning.ts"
import { makeFairTurns } from "./fairTurns.ts"

/** One for the process, whose loop all instances share. */
const turns = makeFairTurns()

/** Plain bytes: a Buffer slices and prints unlike the core's other byte arrays. */
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)

/** More bytes than these are done in steps of as many. */
const stepSize = copiedAtOnce

/** SHA-256 in steps. */
export function* hashing(data: string | Uint8Array): Generator<void, Buffer> {
  const sha256 = createHash("sha256")
  for (const piece of pieceBytes(typeof data === "string" ? Buffer.from(data) : data, stepSize)) {
    sha256.update(piece)
    yield
  }
  return sha256.digest()
}

export const nodeDigest: DigestFunctions = {
  sha256: (data) =>
    data.length > stepSize
      ? Effect.map(inSlices(hashing(data)), plain)
      : Effect.sync(() => plain(hash("sha256", data, "buffer"))),
  // At once: every request has its key digested.
  sha256Hex: (data) =>
    data.length > stepSize
      ? Effect.map(inSlices(hashing(data)), (digest) => digest.toString("hex"))
      : Effect.succeed(hash("sha256", data, "hex"))
}

const algorithm = "aes-256-gcm"
const authTagLength = 16

/** What goes through a cipher, and behind it room for `more` bytes. In steps; a counter mode gives as many bytes as it takes. */
export function* ciphering(
  cipher: CipherGCM | DecipherGCM,
  data: Uint8Array,
  more: number
): Generator<void, Uint8Array> {
  const done = new Uint8Array(data.length + more)
  let at = 0
  for (const piece of pieceBytes(data, stepSize)) {
    if (at > 0) yield
    done.set(cipher.update(piece), at)
    at += piece.length
  }
  return done
}

export const nodeCipher: CipherFunctions = {
  encrypt: (key, nonce, plaintext, associated) =>
    Effect.suspend(() => {
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength })
      cipher.setAAD(associated)
      return Effect.map(inSlices(ciphering(cipher, plaintext, authTagLength)), (sealed) => {
        cipher.final()
        sealed.set(cipher.getAuthTag(), plaintext.length)
        return sealed
      })
    }),
  decrypt: (key, nonce, ciphertext, associated) =>
    Effect.suspend(() => {
      if (ciphertext.length < authTagLength) return Effect.succeed(undefined)
      const end = ciphertext.length - authTagLength
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength })
      decipher.setAAD(associated)
      decipher.setAuthTag(ciphertext.subarray(end))
      return Effect.map(inSlices(ciphering(decipher, ciphertext.subarray(0, end), 0)), (text) => {
        try {
          decipher.final()
          return text
        } catch {
          return undefined
        }
      })
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
  Layer.succeed(LoopTurns, turns),
  Layer.sync(ProcessName, () => ({ host: hostname(), pid: process.pid })),
  // An eighth of the heap.
  Layer.sync(CacheBytes, () => Math.floor(getHeapStatistics().heap_size_limit / 8)),
  layerScanning
)
