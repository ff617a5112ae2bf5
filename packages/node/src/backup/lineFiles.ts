/** Lines in compressed files of a backup. */
import { once } from "node:events"
import { createReadStream, createWriteStream } from "node:fs"
import { open } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"

export interface LineWriter {
  readonly write: (lines: readonly string[]) => Promise<void>
  /** Resolves once everything is on the disk. */
  readonly end: () => Promise<void>
}

/** Makes a new file that only its owner may read. */
export const writeLines = (path: string): LineWriter => {
  const gzip = createGzip({ level: 1 })
  const done = pipeline(gzip, createWriteStream(path, { flags: "wx", mode: 0o600 }))
  // Whoever writes or ends is told of a failure.
  done.catch(() => {})
  return {
    write: async (lines) => {
      if (lines.length > 0 && !gzip.write(`${lines.join("\n")}\n`)) await Promise.race([once(gzip, "drain"), done])
    },
    end: async () => {
      gzip.end()
      await done
      const file = await open(path, "r+")
      await file.sync()
      await file.close()
    }
  }
}

const batchCharacters = 2_000_000
const mostLines = 5_000

const lineFeed = 0x0a

/**
 * The lines of a file, some at a time, and a line that is longer than a batch alone. Throws if the file is damaged. Only a line feed ends
 * a line: JSON may contain U+2028, at which `readline` of some versions of Node ends one, too.
 */
export async function* readLineFile(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path)
  const gunzip = createGunzip()
  const flow = pipeline(file, gunzip)
  flow.catch(() => {})
  let rest: Buffer[] = []
  let lines: string[] = []
  let characters = 0
  /** Adds a line. Answers the lines before it if they are a batch. */
  const take = function* (end: Buffer) {
    const line = Buffer.concat([...rest, end]).toString()
    rest = []
    if (lines.length === mostLines || (lines.length > 0 && characters + line.length > batchCharacters)) {
      yield lines
      lines = []
      characters = 0
    }
    lines.push(line)
    characters += line.length
  }
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      yield* take(chunk.subarray(from, end))
      from = end + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  await flow
  if (rest.length > 0) yield* take(Buffer.alloc(0))
  if (lines.length > 0) yield lines
}
