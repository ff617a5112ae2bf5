/**
 * Hands the generated management key to whoever started the server, once.
 *
 * Source: decisions 1: shown on a terminal, else written to `management-key` in the data directory and named on stderr.
 */
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { makePrivateDirectory, writePrivateFile } from "../store/privateFiles.ts"

export const revealFirstKey = (
  key: Redacted.Redacted<string> | undefined,
  directory: string,
  stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">
): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (key === undefined) return
    const shown = `gatewarden: management key of the account "default", shown this once: ${Redacted.value(key)}\n`
    if (stderr.isTTY) return void stderr.write(shown)
    const path = join(directory, "management-key")
    try {
      await makePrivateDirectory(directory)
      await writePrivateFile(path, `${Redacted.value(key)}\n`)
      stderr.write(`gatewarden: the management key of the account "default" is in ${path}\n`)
    } catch {
      // Only its hash is stored, so a key that is neither shown nor written is lost.
      stderr.write(`gatewarden: ${path} cannot be written\n${shown}`)
    }
  })
