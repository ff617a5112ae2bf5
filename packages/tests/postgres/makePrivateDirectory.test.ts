import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makePrivateDirectory } from "../../postgres/src/connection/lockDirectory.ts"

describe("makePrivateDirectory", () => {
  let directory = ""
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
  })
  afterEach(() => rm(directory, { recursive: true }))

  const codeOf = (path: string): Promise<unknown> =>
    makePrivateDirectory(path).then(
      () => undefined,
      (cause: NodeJS.ErrnoException) => cause.code
    )

  it("makes what is missing above, for its owner only, and leaves what is there", async () => {
    const path = join(directory, "a", "b")
    await Promise.all(Array.from({ length: 5 }, () => makePrivateDirectory(path)))
    await makePrivateDirectory(path)
    for (const made of [path, join(directory, "a")]) assert.strictEqual((await stat(made)).mode & 0o777, 0o700)
  })

  it("fails where a file is in the way", async () => {
    await writeFile(join(directory, "file"), "")
    assert.strictEqual(await codeOf(join(directory, "file")), "EEXIST")
    assert.strictEqual(await codeOf(join(directory, "file", "below", "it")), "ENOTDIR")
  })

  it.runIf(process.platform === "linux")("ends where a directory takes no entries", async () => {
    assert.strictEqual(await codeOf("/proc/gatewarden/data"), "ENOENT")
  })
})
