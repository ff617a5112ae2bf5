/** Cuts bytes into lines, and holds no more of one than a usage event may have. */

export interface Line {
  /** From 1. */
  readonly number: number
  /** Without its end, LF or CRLF; of a line that is too long, the beginning. */
  readonly bytes: Buffer
  /** Whether its end is CRLF. */
  readonly hasReturn: boolean
  readonly isTooLong: boolean
}

/** As many bytes as `POST /gateway/usage-events` takes in a line. */
export const maxLineBytes = 1_048_576

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

/** The lines of each chunk, together: a promise a line would cost more than the line. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let number = 0
  let rest: Buffer[] = []
  let restLength = 0
  const keep = (part: Buffer) => {
    if (restLength <= maxLineBytes && part.length > 0) rest.push(part)
    restLength += part.length
  }
  const take = (): Line => {
    let bytes = rest.length === 1 && rest[0] !== undefined ? rest[0] : Buffer.concat(rest)
    const isTooLong = restLength > maxLineBytes
    if (bytes.length > maxLineBytes) bytes = bytes.subarray(0, maxLineBytes)
    const hasReturn = bytes.at(-1) === carriageReturn
    if (hasReturn) bytes = bytes.subarray(0, -1)
    if (number === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark))
      bytes = bytes.subarray(byteOrderMark.length)
    rest = []
    restLength = 0
    return { number: ++number, bytes, hasReturn, isTooLong }
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, end))
      lines.push(take())
      from = end + 1
    }
    keep(chunk.subarray(from))
    yield lines
  }
  if (restLength > 0) yield [take()]
}
