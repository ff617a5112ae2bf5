/**
 * SHA-1, for name-based UUIDs only: it is no longer fit for anything that must resist an adversary.
 *
 * Source: RFC 3174. WebCrypto has it too, but only asynchronously.
 */

/** The 20-byte digest. */
export const sha1 = (bytes: Uint8Array): Uint8Array => {
  const words = new DataView(padded(bytes).buffer)
  const digest = new DataView(new ArrayBuffer(20))
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0] as const
  state.forEach((word, index) => digest.setUint32(4 * index, word))

  const schedule = new Uint32Array(80)
  for (let block = 0; block < words.byteLength; block += 64) {
    for (let t = 0; t < 80; t++)
      schedule[t] =
        t < 16
          ? words.getUint32(block + 4 * t)
          : rotate(at(schedule, t - 3) ^ at(schedule, t - 8) ^ at(schedule, t - 14) ^ at(schedule, t - 16), 1)

    let a = digest.getUint32(0)
    let b = digest.getUint32(4)
    let c = digest.getUint32(8)
    let d = digest.getUint32(12)
    let e = digest.getUint32(16)
    for (let t = 0; t < 80; t++) {
      const next = (rotate(a, 5) + mix(t, b, c, d) + e + at(schedule, t) + constant(t)) >>> 0
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next
    }
    ;[a, b, c, d, e].forEach((word, index) => digest.setUint32(4 * index, digest.getUint32(4 * index) + word))
  }
  return new Uint8Array(digest.buffer)
}

/** The message, a one bit, zeros, and the length in bits as 64 bits: a multiple of 64 bytes. */
const padded = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const result = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  result.set(bytes)
  result[bytes.length] = 0x80
  new DataView(result.buffer).setBigUint64(result.length - 8, BigInt(bytes.length) * 8n)
  return result
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0

const rotate = (word: number, bits: number): number => ((word << bits) | (word >>> (32 - bits))) >>> 0

const mix = (t: number, b: number, c: number, d: number): number => {
  if (t < 20) return ((b & c) | (~b & d)) >>> 0
  if (t >= 40 && t < 60) return ((b & c) | (b & d) | (c & d)) >>> 0
  return (b ^ c ^ d) >>> 0
}

const constant = (t: number): number => [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][Math.floor(t / 20)] ?? 0
