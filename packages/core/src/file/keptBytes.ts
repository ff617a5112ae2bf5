/** Keeps the first and last bytes of a content that arrives in chunks of any size. */

/** The first bytes up to a size, in a buffer that doubles as needed. */
class Growing {
  readonly #size: number
  #buffer = new Uint8Array(0)
  length = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Copies as much of a chunk as fits, and answers the number of bytes. */
  push(chunk: Uint8Array): number {
    const part = chunk.subarray(0, this.#size - this.length)
    const needed = this.length + part.length
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.min(this.#size, Math.max(needed, 2 * this.#buffer.length)))
      grown.set(this.bytes)
      this.#buffer = grown
    }
    this.#buffer.set(part, this.length)
    this.length = needed
    return part.length
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length)
  }
}

/** Its first bytes. */
export class FirstBytes {
  readonly #kept: Growing

  constructor(size: number) {
    this.#kept = new Growing(size)
  }

  push(chunk: Uint8Array): void {
    this.#kept.push(chunk)
  }

  get bytes(): Uint8Array {
    return this.#kept.bytes
  }
}

/** Its last bytes. */
export class LastBytes {
  readonly #size: number
  readonly #kept: Growing
  /** Where the oldest byte lies. */
  #start = 0

  constructor(size: number) {
    this.#size = size
    this.#kept = new Growing(size)
  }

  push(chunk: Uint8Array): void {
    const part = chunk.subarray(Math.max(0, chunk.length - this.#size))
    const rest = part.subarray(this.#kept.push(part))
    // From here on the newest bytes overwrite the oldest.
    const first = rest.subarray(0, this.#size - this.#start)
    this.#kept.bytes.set(first, this.#start)
    this.#kept.bytes.set(rest.subarray(first.length), 0)
    if (rest.length > 0) this.#start = (this.#start + rest.length) % this.#size
  }

  get length(): number {
    return this.#kept.length
  }

  /** In their order. */
  get bytes(): Uint8Array {
    const { bytes } = this.#kept
    const ordered = new Uint8Array(bytes.length)
    ordered.set(bytes.subarray(this.#start))
    ordered.set(bytes.subarray(0, this.#start), bytes.length - this.#start)
    return ordered
  }
}
