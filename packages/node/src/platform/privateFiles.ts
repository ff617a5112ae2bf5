/** Files that only their owner may read: keys, keyrings, tokens. */
import { randomBytes } from "node:crypto"
import { link, open, rename, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"

const withNeighbour = async (
  path: string,
  content: string | Uint8Array,
  place: (aside: string) => Promise<void>
): Promise<void> => {
  const aside = `${path}.${randomBytes(8).toString("hex")}`
  try {
    const file = await open(aside, "wx", 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(aside)
  } finally {
    await rm(aside, { force: true })
  }
  await syncDirectory(dirname(resolve(path)))
}

/** Makes what was created, moved or removed in a directory last. */
export const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Writes a file as a whole, in place of one that is there. Whoever finds it finds all of it, after a power cut too. */
export const writePrivateFile = (path: string, content: string | Uint8Array): Promise<void> =>
  withNeighbour(path, content, (aside) => rename(aside, path))

/** The same, but rejects with `EEXIST` when there is such a file already. */
export const createPrivateFile = (path: string, text: string): Promise<void> =>
  withNeighbour(path, text, (aside) => link(aside, path))
