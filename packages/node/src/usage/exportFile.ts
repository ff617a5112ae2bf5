/**
 * Writes an export to a file that appears under its name only when it is complete.
 *
 * A part of it lies beside the file until then, and is removed if the export ends early.
 */
import { exportHeader } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import type { Failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { syncDirectory } from "../platform/privateFiles.ts"
import { focusHeader } from "./focusRows.ts"

export const exportFormats = ["ndjson", "csv", "parquet", "focus"] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface ExportOutput {
  readonly write: (text: string) => Promise<void>
  readonly finish: () => Promise<void>
}

export const headerOf = (format: Exclude<ExportFormat, "parquet">): string =>
  format === "focus" ? focusHeader : exportHeader[format]

/** Its writer is loaded where a file needs it, and not with every command. */
const openParquet = async (path: string): Promise<ExportOutput> =>
  (await import("./parquetEvents.ts")).openParquet(path)

/** Lines and records, as they are. */
const openText = async (path: string, format: Exclude<ExportFormat, "parquet">): Promise<ExportOutput> => {
  const file = await open(path, "wx", 0o600)
  // A plain write may take a part of the text only, where the disk is full.
  await file.appendFile(headerOf(format))
  return { write: (text) => file.appendFile(text), finish: () => file.close() }
}

const sync = async (path: string): Promise<void> => {
  const file = await open(path, "r+")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const inFile = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => fileFailure(`${path} cannot be written`, cause)
  })

/** Runs `fill` with what it writes to; the file has its name when `fill` succeeds. */
export const exportFile = Effect.fnUntraced(function* <A, E, R>(
  path: string,
  format: ExportFormat,
  fill: (write: (text: string) => Effect.Effect<void, Failed>) => Effect.Effect<A, E, R>
) {
  const aside = `${path}.${randomBytes(8).toString("hex")}.part`
  return yield* Effect.gen(function* () {
    const output = yield* inFile(path, () => (format === "parquet" ? openParquet(aside) : openText(aside, format)))
    const result = yield* Effect.onError(
      fill((text) => inFile(path, () => output.write(text))),
      () => Effect.ignore(inFile(path, output.finish))
    )
    yield* inFile(path, async () => {
      await output.finish()
      await sync(aside)
      await rename(aside, path)
      await syncDirectory(dirname(resolve(path)))
    })
    return result
  }).pipe(Effect.ensuring(Effect.promise(() => rm(aside, { force: true }))))
})
