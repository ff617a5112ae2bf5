/**
 * How a command finds the server that holds the embedded store: a file in the data directory, for its owner's eyes only.
 *
 * Rule: operating#data-directory. The token proves that a caller could read the file; the address is of this machine only.
 */
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod"
import { writePrivateFile } from "../platform/privateFiles.ts"

const Control = z.object({ pid: z.int(), url: z.string(), token: z.string() })
export type Control = z.output<typeof Control>

const path = (directory: string): string => join(directory, "server.json")

export const publishControl = (directory: string, control: Control): Promise<void> =>
  writePrivateFile(path(directory), `${JSON.stringify(control)}\n`)

export const withdrawControl = (directory: string): Promise<void> => rm(path(directory), { force: true })

/** Undefined when no server has published itself; a server that died may have left its file behind. */
export const findControl = async (directory: string): Promise<Control | undefined> => {
  try {
    return Control.parse(JSON.parse(await readFile(path(directory), "utf8")))
  } catch {
    return undefined
  }
}
