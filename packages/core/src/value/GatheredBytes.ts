import { Effect } from "effect"
import { inSlices } from "./inSlices.ts"
import { joinBytes, joiningBytes } from "./joinBytes.ts"

/** A smaller piece is copied, as an array of its own takes a hundred bytes and more. */
const smallBytes = 1_024

const blockBytes = 4 * smallBytes

/** Bytes that arrive in pieces. Takes about as much memory as there are bytes, however small the pieces are. */
export class GatheredBytes {
  #parts: Uint8Array[] = []
  #block: Uint8Array | undefined
  /** Bytes of the block that are in use. */
  #used = 0
  #size = 0

  /** Bytes so far. */
  get size(): number {
    return this.#size
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#size += piece.length
    if (piece.length >= smallBytes) {
      this.#closeBlock()
      this.#parts.push(piece)
      return
    }
    if (this.#used + piece.length > blockBytes) this.#closeBlock()
    this.#block ??= new Uint8Array(blockBytes)
    this.#block.set(piece, this.#used)
    this.#used += piece.length
  }

  /** All bytes as one. Begins anew. */
  take(): Uint8Array {
    const parts = this.#takeParts()
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : joinBytes(parts)
  }

  /** The same in slices, for what may be long. */
  takeInSlices(): Effect.Effect<Uint8Array> {
    const parts = this.#takeParts()
    return parts.length === 1 && parts[0] !== undefined ? Effect.succeed(parts[0]) : inSlices(joiningBytes(parts))
  }

  #takeParts(): readonly Uint8Array[] {
    this.#closeBlock()
    const parts = this.#parts
    this.#parts = []
    this.#size = 0
    return parts
  }

  #closeBlock(): void {
    if (this.#block === undefined) return
    // A copy: a view would keep the whole block.
    this.#parts.push(this.#used === blockBytes ? this.#block : this.#block.slice(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}
