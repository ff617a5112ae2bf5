/** The mark of a data directory whose installation lives elsewhere now: nobody should go on here by mistake. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod"
import { writePrivateFile } from "../platform/privateFiles.ts"

const Moved = z.object({ to: z.string(), at: z.string() })
export type Moved = z.output<typeof Moved>

export const movedFile = (directory: string): string => join(directory, "moved.json")

export const writeMoved = (directory: string, moved: Moved): Promise<void> =>
  writePrivateFile(movedFile(directory), `${JSON.stringify(moved)}\n`)

/** Undefined where nothing was moved. */
export const findMoved = async (directory: string): Promise<Moved | undefined> => {
  const text = await readFile(movedFile(directory), "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Moved.parse(JSON.parse(text))
  } catch {
    return { to: "another database", at: "an unknown time" }
  }
}
