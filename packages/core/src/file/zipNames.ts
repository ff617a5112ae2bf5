/**
 * The names of the entries of a ZIP archive, from its central directory.
 *
 * Source: PKWARE APPNOTE 4.3. Nothing is decompressed. Archives of more than 65,535 entries or 4 GiB (Zip64) are not read.
 */

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endLength = 22
const entryLength = 46
const maxCommentLength = 65_535

/**
 * Empty when the bytes are no archive whose directory can be read to its end.
 *
 * @param bytes the archive, or its end
 * @param skipped how many bytes of the archive come before those
 */
export const zipNames = (bytes: Uint8Array, skipped = 0): readonly string[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = endOfDirectory(view)
  if (end === undefined) return []
  const count = view.getUint16(end + 10, true)
  const names: string[] = []
  let at = view.getUint32(end + 16, true) - skipped
  if (at < 0) return []
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature) return []
    const nameLength = view.getUint16(at + 28, true)
    const next = at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) return []
    names.push(new TextDecoder().decode(bytes.subarray(at + entryLength, at + entryLength + nameLength)))
    at = next
  }
  return names
}

/** The record lies before a comment of unknown length, so it is looked for from the end. */
const endOfDirectory = (view: DataView): number | undefined => {
  const first = Math.max(0, view.byteLength - endLength - maxCommentLength)
  for (let at = view.byteLength - endLength; at >= first; at--)
    if (view.getUint32(at, true) === endSignature && at + endLength + view.getUint16(at + 20, true) === view.byteLength)
      return at
  return undefined
}
