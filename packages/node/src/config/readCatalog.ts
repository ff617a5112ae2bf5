/**
 * A catalog file, checked as the body of the operation that puts a catalog.
 *
 * Rule: operating#catalog-at-start.
 */
import { PutCatalog } from "@gatewarden/contract/internal"
import { parseJson } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { createReadStream } from "node:fs"
import type { Fault } from "../failure/exitCode.ts"
import { failed } from "../failure/Failed.ts"
import { describeIssues } from "../failure/describeIssues.ts"

/** Of a catalog in a file or behind a URL. */
export const maxCatalogFileBytes = 64 * 1_024 * 1_024

/** All bytes of a file that has no more; undefined: it has more. A device or a pipe may never end. */
const readBounded = async (path: string): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = []
  let bytes = 0
  // One byte more, as the end is inclusive.
  for await (const piece of createReadStream(path, { end: maxCatalogFileBytes }) as AsyncIterable<Buffer>) {
    pieces.push(piece)
    bytes += piece.length
  }
  return bytes > maxCatalogFileBytes ? undefined : Buffer.concat(pieces)
}

/** The bytes of a catalog file. `fault`: a variable names the file, or the command line. */
export const readCatalogFile = Effect.fnUntraced(function* (path: string, fault: Fault) {
  const bytes = yield* Effect.tryPromise({
    try: () => readBounded(path),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
      return failed(fault, `The catalog ${path} cannot be read${code}`)
    }
  })
  return bytes ?? (yield* failed(fault, `The catalog ${path} has more than 64 MiB`))
})

/** The JSON of a catalog. */
export const parseCatalog = (source: string, bytes: Uint8Array, fault: Fault) => {
  const parsed = parseJson(bytes)
  return parsed.ok
    ? Effect.succeed(parsed.value)
    : Effect.fail(failed(fault, `The catalog ${source} is not JSON: ${parsed.message}`))
}

export const checkCatalog = (source: string, value: unknown, fault: Fault) => {
  const result = PutCatalog.safeParse(value)
  return result.success
    ? Effect.succeed(result.data)
    : Effect.fail(failed(fault, `The catalog ${source} is not usable`, ...describeIssues(result.error)))
}

/** Fails when the file cannot be read or is no catalog. */
export const readCatalog = Effect.fnUntraced(function* (path: string) {
  const bytes = yield* readCatalogFile(path, "configuration")
  return yield* checkCatalog(path, yield* parseCatalog(path, bytes, "configuration"), "configuration")
})
