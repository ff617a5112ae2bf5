const utf8 = new TextEncoder()

/** Longer texts go through `JSON.stringify` and the encoder, which are the faster the longer a text is. */
const shortText = 256

/**
 * Writes JSON as bytes. Texts of a span are short and many: their characters are written one by one, without a string for the span, which
 * would have to be put together and encoded.
 */
export class JsonWriter {
  #bytes = new Uint8Array(16_384)
  #at = 0

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#at + size, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
  }

  /** Of ASCII characters, as they are. */
  raw(ascii: string): void {
    this.#reserve(ascii.length)
    const bytes = this.#bytes
    let at = this.#at
    for (let index = 0; index < ascii.length; index++) bytes[at++] = ascii.charCodeAt(index)
    this.#at = at
  }

  quoted(text: string): void {
    if (text.length > shortText) return this.json(text)
    this.#reserve(text.length + 2)
    const bytes = this.#bytes
    let at = this.#at
    bytes[at++] = 0x22
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return this.json(text)
      bytes[at++] = code
    }
    bytes[at++] = 0x22
    this.#at = at
  }

  /** Any value that JSON can hold. */
  json(value: unknown): void {
    const text = JSON.stringify(value)
    this.#reserve(text.length * 3)
    this.#at += utf8.encodeInto(text, this.#bytes.subarray(this.#at)).written
  }

  /** What was written, and begins anew. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#at)
    this.#at = 0
    return taken
  }
}
