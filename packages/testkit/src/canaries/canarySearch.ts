/** Looks for pieces of secrets in bytes, however those were written: plain, in another case, as numbers, in base64. */
import { middleOf } from "./makeCanaries.ts"

export interface Finding {
  readonly secret: string
  readonly form: string
  readonly piece: string
  readonly offset: number
  /** The printable characters around it. */
  readonly context: string
}

/** Shorter pieces could be there by chance. */
const pieceLength = 8

const base64url = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_")

/** How a piece may have been written, and how long the piece has to be for that. */
const forms: Readonly<Record<string, { readonly length: number; readonly write: (piece: string) => Buffer }>> = {
  plain: { length: pieceLength, write: (piece) => Buffer.from(piece) },
  "lower case": { length: 12, write: (piece) => Buffer.from(piece.toLowerCase()) },
  "upper case": { length: 12, write: (piece) => Buffer.from(piece.toUpperCase()) },
  hexadecimal: { length: pieceLength, write: (piece) => Buffer.from(Buffer.from(piece).toString("hex")) },
  "upper hexadecimal": {
    length: pieceLength,
    write: (piece) => Buffer.from(Buffer.from(piece).toString("hex").toUpperCase())
  },
  // Nine bytes are twelve characters wherever a group of three begins, and one of the pieces begins there.
  base64: { length: 9, write: (piece) => Buffer.from(Buffer.from(piece).toString("base64")) },
  base64url: { length: 9, write: (piece) => Buffer.from(base64url(Buffer.from(piece).toString("base64"))) },
  "list of numbers": { length: pieceLength, write: (piece) => Buffer.from([...Buffer.from(piece)].join(",")) },
  "spaced list of numbers": { length: pieceLength, write: (piece) => Buffer.from([...Buffer.from(piece)].join(", ")) },
  "spaced hexadecimal": {
    length: pieceLength,
    write: (piece) => Buffer.from(Array.from(Buffer.from(piece), (byte) => byte.toString(16)).join(" "))
  },
  "UTF-16": { length: pieceLength, write: (piece) => Buffer.from(piece, "utf16le") }
}

interface Needle {
  readonly secret: string
  readonly form: string
  readonly piece: string
  readonly bytes: Buffer
}

/** Every way to meet a secret's middle. */
const needlesOf = (secret: string): readonly Needle[] => {
  const middle = middleOf(secret)
  return Object.entries(forms).flatMap(([form, { length, write }]) =>
    Array.from({ length: Math.max(0, middle.length - length + 1) }, (_, at) => {
      const piece = middle.slice(at, at + length)
      return { secret, form, piece, bytes: write(piece) }
    })
  )
}

const tableBits = 22
const slotOf = (word: number): number => Math.imul(word, 0x9e3779b1) >>> (32 - tableBits)

/** Prepares the search for all secrets at once; `find` passes over the bytes a single time. */
export const canarySearch = (secrets: readonly string[]) => {
  const slots = new Uint8Array(1 << tableBits)
  const byHead = new Map<string, Needle[]>()
  for (const needle of secrets.flatMap(needlesOf)) {
    slots[slotOf(needle.bytes.readUInt32LE(0))] = 1
    const head = needle.bytes.toString("latin1", 0, pieceLength)
    const others = byHead.get(head)
    if (others === undefined) byHead.set(head, [needle])
    else others.push(needle)
  }

  /** At most one finding per secret and form, the first. */
  const find = (haystack: Uint8Array | string): readonly Finding[] => {
    const bytes =
      typeof haystack === "string"
        ? Buffer.from(haystack)
        : Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength)
    const found = new Map<string, Finding>()
    let word = bytes.length < 4 ? 0 : bytes.readUInt32LE(0)
    for (let at = 0; at + pieceLength <= bytes.length; at++) {
      if (slots[slotOf(word)] === 1) {
        const needles = byHead.get(bytes.toString("latin1", at, at + pieceLength)) ?? []
        for (const { secret, form, piece, bytes: needle } of needles) {
          const key = `${form} ${secret}`
          if (found.has(key) || !bytes.subarray(at, at + needle.length).equals(needle)) continue
          const context = bytes.toString("latin1", Math.max(0, at - 100), at + 100).replace(/[^ -~]+/g, ".")
          found.set(key, { secret, form, piece, offset: at, context })
        }
      }
      word = (word >>> 8) | ((bytes[at + 4] ?? 0) << 24)
    }
    return [...found.values()]
  }

  return { find }
}
