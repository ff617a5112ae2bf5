/**
 * Keeps the generated management key for whoever started the server, since only its hash is stored.
 *
 * Rule: operating#first-key. The file `management-key` is written on a terminal, too.
 */
import { makePrivateDirectory } from "@gatewarden/postgres/internal"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { writePrivateFile } from "../platform/privateFiles.ts"

export const firstKeyFile = (directory: string): string => join(directory, "management-key")

/**
 * Writes the key to `management-key` in the data directory, mode 0600, and names the file on stderr. When the file cannot be
 * written the key itself goes to stderr.
 */
export const revealFirstKey = (
  key: Redacted.Redacted<string> | undefined,
  directory: string,
  stderr: Pick<NodeJS.WriteStream, "write">
): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (key === undefined) return
    const path = firstKeyFile(directory)
    try {
      await makePrivateDirectory(directory)
      await writePrivateFile(path, `${Redacted.value(key)}\n`)
      stderr.write(`gatewarden: the management key of the account "default" is in ${path}\n`)
    } catch {
      stderr.write(
        `gatewarden: ${path} cannot be written\n` +
          `gatewarden: management key of the account "default", shown this once: ${Redacted.value(key)}\n`
      )
    }
  })
