/** Where the records go that are not imported: a JSON object each, with its line, the reason and what it says. */
import { type FileHandle, open, rm, stat } from "node:fs/promises"
import type { Reject } from "./batchRecords.ts"

export interface RejectsFile {
  readonly append: (rejects: readonly Reject[]) => Promise<void>
  /** Bytes so far. */
  readonly size: () => number
  /** Returns once everything is on the disk. */
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Continues the file after so many bytes, which it must have; with 0 it begins anew, and exists once there is a reject. */
export const openRejects = async (path: string, from: number): Promise<RejectsFile> => {
  let file: FileHandle | undefined
  let size = from
  if (from > 0) {
    file = await open(path, "r+", 0o600)
    await file.truncate(from)
  } else await rm(path, { force: true })
  return {
    append: async (rejects) => {
      if (rejects.length === 0) return
      // Records may hold what only their owner should read.
      file ??= await open(path, "w", 0o600)
      const bytes = Buffer.from(rejects.map(rejectLine).join(""))
      await writeAll(file, bytes, size)
      size += bytes.length
    },
    size: () => size,
    sync: async () => file?.sync(),
    close: async () => file?.close()
  }
}

/** A disk with room for a part takes that part without a failure, which comes with the rest. */
const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten
}

/** Bytes of a rejects file; 0 when there is none. */
export const sizeOfRejects = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}

/** More of a record than this tells nothing new. */
const shownBytes = 65_536

const rejectLine = ({ line, reason, record: { bytes } }: Reject): string => {
  const shown = bytes.subarray(0, shownBytes)
  const text = shown.toString("utf8")
  const isText = !text.includes("\ufffd")
  return `${JSON.stringify({
    line,
    reason,
    ...(isText ? { record: text } : { record_base64: shown.toString("base64") }),
    ...(shown.length < bytes.length && { truncated: true })
  })}\n`
}
