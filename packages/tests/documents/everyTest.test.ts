/** Every test file runs in `npm run test:all` or in `npm run test:deep`, and in no more than one of both. */
import { assert, it } from "@effect/vitest"
import { readdir } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { createVitest } from "vitest/node"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const skipped = new Set(["node_modules", "dist", ".git", ".next"])

const testFiles = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter(({ name }) => !skipped.has(name))
      .map((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? testFiles(path) : /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path) ? [path] : []
      })
  )
  return found.flat()
}

/** What a configuration runs, as vitest itself finds it. The project `pool` runs files of the other run on one more store. */
const filesOf = async (config: string): Promise<readonly string[]> => {
  const vitest = await createVitest("test", { root, config: join(root, config), watch: false })
  try {
    const specifications = await vitest.globTestSpecifications()
    return specifications.filter(({ project }) => project.name !== "pool").map(({ moduleId }) => moduleId)
  } finally {
    await vitest.close()
  }
}

it("every test file runs in exactly one of both", async () => {
  const runs = [await filesOf("vitest.workspace.ts"), await filesOf("vitest.deep.ts")]
  for (const files of runs) assert.isAbove(files.length, 0)
  const below = (path: string) => relative(root, path).replaceAll(sep, "/")
  assert.deepEqual(runs.flat().map(below).sort(), (await testFiles(root)).map(below).sort())
})
