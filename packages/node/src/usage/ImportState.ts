/** What an import that was broken off left beside its file, so that the next one goes on where it was. */
import { readFile, rm } from "node:fs/promises"
import * as z from "zod"
import { writePrivateFile } from "../platform/privateFiles.ts"

export const ImportState = z.object({
  version: z.literal(1),
  /** Where it went, which tells account and installation too: the file may be imported elsewhere. */
  workspace_id: z.string(),
  /** What was rejected for its workspace is accepted without it. Absent in a state of before: the workspaces counted. */
  ignore_workspaces: z.boolean().default(false),
  source: z.string(),
  format: z.enum(["ndjson", "csv", "parquet"]),
  rejects_file: z.string(),
  /** Bytes of the rejects file that belong to what is counted here. */
  rejects_bytes: z.int(),
  records: z.int(),
  sha256: z.string(),
  accepted: z.int(),
  duplicates: z.int(),
  rejected: z.int()
})
export type ImportState = z.output<typeof ImportState>

export const statePath = (file: string): string => `${file}.gatewarden-import`

/** Undefined when there is none that can be used. */
export const readState = async (path: string): Promise<ImportState | undefined> => {
  try {
    return ImportState.parse(JSON.parse(await readFile(path, "utf8")))
  } catch {
    return undefined
  }
}

export const writeState = (path: string, state: ImportState): Promise<void> =>
  writePrivateFile(path, `${JSON.stringify(state)}\n`)

export const removeState = (path: string): Promise<void> => rm(path, { force: true })
