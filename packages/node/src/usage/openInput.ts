/** What an import reads: a file or the standard input, unpacked if it is gzip, whatever its name says. */
import { createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"

export interface Input {
  readonly chunks: AsyncIterable<Buffer>
  /** Bytes taken from the file so far, packed as they are. */
  readonly taken: () => number
  /** Bytes of the file; undefined for a stream, which tells no length. */
  readonly size: number | undefined
}

/** Rejects as the file system does. */
export const openFile = async (path: string): Promise<Input> => {
  const file: FileHandle = await open(path, "r")
  const status = await file.stat()
  const stream = createReadStream(path, { fd: file, highWaterMark: chunkBytes })
  return { ...unpacked(stream), size: status.isFile() ? status.size : undefined }
}

export const openStream = (stream: AsyncIterable<Uint8Array | string>): Input => ({
  ...unpacked(stream),
  size: undefined
})

const chunkBytes = 262_144

const unpacked = (source: AsyncIterable<Uint8Array | string>): Pick<Input, "chunks" | "taken"> => {
  let taken = 0
  const counted = async function* () {
    for await (const chunk of source) {
      taken += chunk.length
      yield typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    }
  }
  return { chunks: unpackedIfGzip(counted()), taken: () => taken }
}

const gzipMagic = Buffer.of(0x1f, 0x8b)

async function* unpackedIfGzip(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < gzipMagic.length) {
    const { done, value } = await source.next()
    if (done === true) break
    head = Buffer.concat([head, value])
  }
  const whole = (async function* () {
    if (head.length > 0) yield head
    yield* source
  })()
  if (!head.subarray(0, gzipMagic.length).equals(gzipMagic)) return yield* whole
  // The iteration of what is unpacked meets the failure of either end.
  yield* pipeline(Readable.from(whole), createGunzip(), () => {})
}
