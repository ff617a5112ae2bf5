/** What `gatewarden backup` asks of a store. */
import * as z from "zod"
import { Manifest } from "../backup/Manifest.ts"
import { writeBackup } from "../backup/writeBackup.ts"
import { command } from "../store/StoreCommand.ts"

export const backupCommands = {
  writeBackup: command({
    /** An absolute path: the server may have been started elsewhere. */
    input: z.object({ directory: z.string().startsWith("/") }),
    output: z.object({ manifest: Manifest, unreadable: z.int() }),
    run: ({ directory }) => writeBackup(directory)
  })
} as const
