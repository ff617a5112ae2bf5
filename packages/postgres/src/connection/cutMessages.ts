const terminate = 0x58

/** Where the whole messages at the start of some bytes end. */
export interface Cut {
  /** Length of the whole messages. */
  readonly end: number
  /** How many bytes there must be before another look can find more. */
  readonly needed: number
  /** The message after them is Terminate: nothing that follows counts. */
  readonly terminated: boolean
}

/**
 * Cuts what a PostgreSQL client sends after its startup packet: a type byte, an int32 length that counts itself, a
 * body. Throws `RangeError` for a length that no message can have.
 *
 * Source: PostgreSQL, "Message Formats".
 */
export const cutMessages = (bytes: Uint8Array): Cut => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = 0
  while (end + 5 <= bytes.length) {
    if (bytes[end] === terminate) return { end, needed: end, terminated: true }
    const length = view.getInt32(end + 1)
    if (length < 4) throw new RangeError(`A protocol message cannot have the length ${length}`)
    if (end + 1 + length > bytes.length) return { end, needed: end + 1 + length, terminated: false }
    end += 1 + length
  }
  return { end, needed: end + 5, terminated: false }
}
