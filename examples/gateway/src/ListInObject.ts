/** A JSON object that arrives in pieces: the entries of one of its lists pass as bytes, and the rest is kept to be read. */
import { GatheredBytes } from "@gatewarden/core/effect"

/** Nothing else of such an object is longer, in bytes. */
const longestRest = 65_536

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

export class ListInObject {
  readonly #name: string
  readonly #rest = new GatheredBytes()
  #place: "before" | "in" | "after" = "before"
  #depth = 0
  #isString = false
  #isEscaped = false
  /** Of the last string in the object itself, as much as a name may have. */
  #last = ""

  /** `name`: of the list, without characters that JSON escapes. */
  constructor(name: string) {
    this.#name = name
  }

  /** Whether entries have come, or may come next. */
  get hasBegun(): boolean {
    return this.#place !== "before"
  }

  /** What of the next bytes is of the entries; throws where the rest is too long. */
  push(piece: Uint8Array): Uint8Array {
    const began = this.#place === "in" ? 0 : this.#place === "before" ? this.#begin(piece) : piece.length
    const ended = this.#place === "in" ? this.#end(piece, began) : began
    this.#rest.add(piece.subarray(0, began))
    this.#rest.add(piece.subarray(ended))
    if (this.#rest.size > longestRest) throw new Error("too long")
    return piece.subarray(began, ended)
  }

  /** The object with an empty list. Call it once, when all has come. */
  takeRest(): string {
    return Buffer.from(this.#rest.take()).toString("utf8")
  }

  /** Where the entries begin in a piece. */
  #begin(piece: Uint8Array): number {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number
      if (!this.#isString && byte === quote && this.#depth === 1) this.#last = ""
      else if (this.#isString && byte !== quote && this.#last.length <= this.#name.length)
        this.#last += String.fromCharCode(byte)
      const depth = this.#depth
      this.#step(byte)
      if (depth === 1 && this.#depth === 2 && byte === openBracket && this.#last === this.#name) {
        this.#place = "in"
        return at + 1
      }
    }
    return piece.length
  }

  /** Where the entries end in a piece. */
  #end(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at] as number
      // Nearly all bytes are of numbers.
      if (byte < openBracket && byte !== quote && !this.#isEscaped) continue
      this.#step(byte)
      if (this.#depth === 1) {
        this.#place = "after"
        return at
      }
    }
    return piece.length
  }

  #step(byte: number): void {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isString = false
    } else if (byte === quote) this.#isString = true
    else if (byte === openBracket || byte === openBrace) this.#depth++
    else if (byte === closeBracket || byte === closeBrace) this.#depth--
  }
}
