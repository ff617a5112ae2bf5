import { parseJson } from "@gatewarden/core/internal"
import { type ReadRecord, type SourceRecord, unreadable } from "./SourceRecord.ts"
import { type Line, maxLineBytes } from "./splitLines.ts"

/** One JSON value a line, read as strictly as a request's; blank lines are nothing. */
export async function* readNdjson(chunks: AsyncIterable<readonly Line[]>): AsyncGenerator<readonly SourceRecord[]> {
  for await (const lines of chunks)
    yield lines
      .filter(({ bytes }) => !isBlank(bytes))
      .map((line) => ({ line: line.number, bytes: line.bytes, read: () => readLine(line) }))
}

const readLine = ({ bytes, isTooLong }: Line): ReadRecord => {
  if (isTooLong) return unreadable(`The line is longer than ${maxLineBytes} bytes`)
  const parsed = parseJson(bytes, true)
  if (!parsed.ok) return unreadable(parsed.path === "" ? parsed.message : `${parsed.path}: ${parsed.message}`)
  return { ok: true, value: parsed.value }
}

export const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
