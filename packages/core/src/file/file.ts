import { type StoredFile, codePoints } from "@gatewarden/contract/internal"
import { Clock, Effect, Exit, type Stream } from "effect"
import { FileContents, type FileFacts, Files } from "../ports/files.ts"
import { formatInstant } from "../value/calendar.ts"
import type { BodyFailure } from "../value/failure.ts"

/** An uploaded file, while it arrives. */
export interface UploadedFile {
  readonly filename: string
  /** Can be read once. Fails if the rest of the form is malformed, so the file is valid when the stream has ended. */
  readonly content: Stream.Stream<Uint8Array, BodyFailure>
}

/** The rules for file names. A name is only shown, never used as a path. Rule: files#file-names. */
const maxLength = 255

/** Why a name is refused; undefined if it is accepted. */
export const fileNameProblem = (name: string): string | undefined => {
  if (name === "") return "Expected a name of the file"
  if (codePoints(name) > maxLength) return `Expected a name of at most ${maxLength} characters`
  return /\p{Cc}/u.test(name) ? "Expected a name without control characters" : undefined
}

/** The part after the last dot in lower case, `""` without one. */
export const extensionOf = (name: string): string => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""

/** A file of Gatewarden's own storage in a response. Uploaded content cannot be downloaded (Rule: files#uploads). */
export const printedFile = ({ id, filename, mime_type, size_bytes, created_at }: FileFacts): StoredFile => ({
  id,
  type: "file",
  filename,
  mime_type,
  size_bytes,
  created_at,
  downloadable: false
})

/**
 * Keeps the first and last bytes of a content that arrives in chunks of any size.
 *
 * The first bytes up to a size, in a buffer that doubles as needed.
 */
class Growing {
  readonly #size: number
  #buffer = new Uint8Array(0)
  length = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Copies as much of a chunk as fits, and answers the number of bytes. */
  push(chunk: Uint8Array): number {
    const part = chunk.subarray(0, this.#size - this.length)
    const needed = this.length + part.length
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.min(this.#size, Math.max(needed, 2 * this.#buffer.length)))
      grown.set(this.bytes)
      this.#buffer = grown
    }
    this.#buffer.set(part, this.length)
    this.length = needed
    return part.length
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length)
  }
}

/** Its first bytes. */
export class FirstBytes {
  readonly #kept: Growing

  constructor(size: number) {
    this.#kept = new Growing(size)
  }

  push(chunk: Uint8Array): void {
    this.#kept.push(chunk)
  }

  get bytes(): Uint8Array {
    return this.#kept.bytes
  }
}

/** Its last bytes. */
export class LastBytes {
  readonly #size: number
  readonly #kept: Growing
  /** Where the oldest byte lies. */
  #start = 0

  constructor(size: number) {
    this.#size = size
    this.#kept = new Growing(size)
  }

  push(chunk: Uint8Array): void {
    const part = chunk.subarray(Math.max(0, chunk.length - this.#size))
    const rest = part.subarray(this.#kept.push(part))
    // From here on the newest bytes overwrite the oldest.
    const first = rest.subarray(0, this.#size - this.#start)
    this.#kept.bytes.set(first, this.#start)
    this.#kept.bytes.set(rest.subarray(first.length), 0)
    if (rest.length > 0) this.#start = (this.#start + rest.length) % this.#size
  }

  get length(): number {
    return this.#kept.length
  }

  /** In their order. */
  get bytes(): Uint8Array {
    const { bytes } = this.#kept
    const ordered = new Uint8Array(bytes.length)
    ordered.set(bytes.subarray(this.#start))
    ordered.set(bytes.subarray(0, this.#start), bytes.length - this.#start)
    return ordered
  }
}

/** Longer than any upload or deletion takes. */
const patienceMillis = 3_600_000
const atOnce = 16
/** Removals at a time: a few, as the storage also serves requests. */
const inParallel = 4

/**
 * Removes the remains of interrupted uploads and deletions and of deleted workspaces, one batch. Answers the number of files removed; 0 if
 * none is left. A content that the storage refuses to remove is tried again after the others; dies if it refuses all of a batch.
 */
export const sweepStaleFiles: Effect.Effect<number, never, Files | FileContents> = Effect.gen(function* () {
  const files = yield* Files
  const contents = yield* FileContents
  const now = yield* Clock.currentTimeMillis
  const stale = yield* files.takeStale(formatInstant(now - patienceMillis), formatInstant(now), atOnce)
  const removals = yield* Effect.forEach(
    stale,
    (id) => Effect.exit(Effect.andThen(contents.remove(id), files.forget(id))),
    { concurrency: inParallel }
  )
  const refused = removals.filter(Exit.isFailure)
  const [first] = refused
  return first !== undefined && refused.length === stale.length
    ? yield* Effect.failCause(first.cause)
    : stale.length - refused.length
})
