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
    for (const piece of part.length <= copiedAtOnce ? [part] : pieceBytes(part, copiedAtOnce)) {
      whole.set(piece, at)
      at += piece.length
      copied += piece.length
      if (copied < copiedAtOnce) continue
      copied = 0
      yield
    }
  return whole
}
