/** What `gatewarden backup` asks of a store. */
import * as z from "zod"
import { Manifest } from "../backup/Manifest.ts"
import { writeBackup } from "../backup/writeBackup.ts"
import { command } from "../store/StoreCommand.ts"

export const backupCommands = {
  writeBackup: command({
    /** An absolute path: the server may have been started elsewhere. */
    input: z.object({ directory: z.string().startsWith("/"), allow_missing_contents: z.boolean() }),
    output: z.object({ manifest: Manifest, unreadable: z.int() }),
    run: ({ directory, allow_missing_contents }) =>
      writeBackup({ target: directory, allowMissingContents: allow_missing_contents })
  })
} as const
