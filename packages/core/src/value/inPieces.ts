import { Stream } from "effect"

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
