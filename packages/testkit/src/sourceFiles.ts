/** The sources of packages, for tests of how they are written. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface SourceFile {
  /** Below `packages/`, with slashes: `core/src/http/App.ts`. */
  readonly file: string
  readonly text: string
}

const packages = fileURLToPath(new URL("../../", import.meta.url))

/** Every TypeScript and JavaScript file in the `src` of the named packages. */
export const sourceFiles = async (...names: readonly string[]): Promise<readonly SourceFile[]> => {
  const folders = await Promise.all(
    names.map(async (name) => {
      const entries = await readdir(join(packages, name, "src"), { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
    })
  )
  const files = folders.flat().sort()
  return Promise.all(
    files.map(async (path) => ({
      file: path.slice(packages.length).replaceAll("\\", "/"),
      text: await readFile(path, "utf8")
    }))
  )
}
