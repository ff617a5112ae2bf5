import { Effect, Stream } from "effect"
import { inSlices } from "./inSlices.ts"

/** About as many bytes as V8 uses. A character may take two. */
const bytesOfObject = 64
const bytesOfMember = 16
const bytesOfText = 24
const bytesOfCharacter = 2

/** An upper bound, roughly, of what plain data takes in memory: objects, arrays, maps and sets, and what is in them. */
export const bytesHeld = (value: unknown): number => {
  let bytes = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one === "string") bytes += bytesOfText + bytesOfCharacter * one.length
    else if (typeof one !== "object" || one === null) bytes += bytesOfMember
    else {
      bytes += bytesOfObject
      const members =
        one instanceof Set || one instanceof Map ? [...one] : Array.isArray(one) ? one : Object.values(one)
      for (const member of members) {
        bytes += bytesOfMember
        open.push(member)
      }
    }
  }
  return bytes
}

/** Parts as one, in their order. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Whether both hold the same bytes. Not for secrets: it ends at the first difference. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** Bytes that are copied in one step: a fraction of a millisecond. */
export const copiedAtOnce = 262_144

/** Splits bytes into views of a maximum size. */
export const pieceBytes = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

/** The same as `joinBytes`, in steps. */
export function* joiningBytes(parts: readonly Uint8Array[]): Generator<void, Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  let copied = 0
  for (const part of parts)
    for (const piece of pieceBytes(part, copiedAtOnce)) {
      whole.set(piece, at)
      at += piece.length
      copied += piece.length
      if (copied < copiedAtOnce) continue
      copied = 0
      yield
    }
  return whole
}

/** A smaller piece is copied, as an array of its own takes a hundred bytes and more. */
const smallBytes = 1_024

const blockBytes = 4 * smallBytes

/** What is one piece already, and need not be copied. */
const onlyOf = (parts: readonly Uint8Array[]): Uint8Array | undefined => (parts.length === 1 ? parts[0] : undefined)

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
    return onlyOf(parts) ?? joinBytes(parts)
  }

  /** The same in slices, for what may be long. */
  takeInSlices(): Effect.Effect<Uint8Array> {
    const parts = this.#takeParts()
    const only = onlyOf(parts)
    return only === undefined ? inSlices(joiningBytes(parts)) : Effect.succeed(only)
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
    this.#parts.push(this.#block.slice(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}

/**
 * Regroups bytes into pieces of one size; the last one may be shorter. Every piece is a copy, because the input may be a view of a larger
 * buffer or be overwritten later.
 */
export const inPieces =
  (size: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
    Stream.suspend(() => {
      let piece = new Uint8Array(size)
      let filled = 0
      const cut = function* (chunk: Uint8Array): Generator<Uint8Array> {
        for (let at = 0; at < chunk.length;) {
          const part = chunk.subarray(at, at + size - filled)
          piece.set(part, filled)
          filled += part.length
          at += part.length
          if (filled < size) continue
          yield piece
          piece = new Uint8Array(size)
          filled = 0
        }
      }
      return Stream.concat(
        Stream.flatMap(bytes, (chunk) => Stream.fromIterable(cut(chunk), { chunkSize: 1 })),
        Stream.suspend(() => (filled === 0 ? Stream.empty : Stream.succeed(piece.subarray(0, filled))))
      )
    })
