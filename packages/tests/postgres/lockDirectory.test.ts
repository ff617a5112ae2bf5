import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DirectoryInUse, directoryHolder, lockDirectory } from "../../postgres/src/connection/lockDirectory.ts"

describe("lockDirectory", () => {
  let directory = ""
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
  })
  afterEach(() => rm(directory, { recursive: true }))

  const lockOf = (...lines: readonly (string | number)[]) =>
    writeFile(join(directory, "gatewarden.lock"), [...lines, "token", ""].join("\n"))

  it("lets one in at a time", async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
    const holders = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []))
    assert.strictEqual(holders.length, 1)
    for (const attempt of attempts)
      if (attempt.status === "rejected") {
        assert.instanceOf(attempt.reason, DirectoryInUse)
        assert.strictEqual(attempt.reason.pid, process.pid)
      }
    await holders[0]?.()
    assert.deepStrictEqual(await readdir(directory), [])
  })

  it("takes over from a process that died, once", async () => {
    const child = spawn(process.execPath, ["-e", ""])
    await once(child, "exit")
    await lockOf(child.pid ?? 0, "")
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
    assert.strictEqual(attempts.filter(({ status }) => status === "fulfilled").length, 1)
    assert.deepStrictEqual(await readdir(directory), ["gatewarden.lock"])
  })

  it.runIf(process.platform === "linux")("takes over when the process id now is another process's", async () => {
    await lockOf(process.pid, "1")
    const release = await lockDirectory(directory)
    // The lock is that of this process now: a second one finds it held.
    const held = await lockDirectory(directory).catch((cause: unknown) => cause)
    assert.instanceOf(held, DirectoryInUse)
    await release()
    assert.deepStrictEqual(await readdir(directory), [])
  })

  it.runIf(process.platform === "linux")("takes over from a process that ended and that nobody waits for", async () => {
    // What the shell becomes never asks how its child ended.
    const parent = spawn("sh", ["-c", 'tail -f /dev/null & echo "$!"; exec tail -f /dev/null'], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    try {
      const pid = Number(String((await once(parent.stdout, "data"))[0]))
      const stat = () => readFile(`/proc/${pid}/stat`, "utf8")
      const within = { timeout: 30_000 }
      // A shell that still is one may ask.
      await vi.waitFor(
        async () => assert.strictEqual(await readFile(`/proc/${parent.pid}/comm`, "utf8"), "tail\n"),
        within
      )
      process.kill(pid, "SIGKILL")
      await vi.waitFor(async () => assert.include(await stat(), ") Z "), within)
      await lockOf(pid, (await stat()).split(") ")[1]?.split(" ")[19] ?? "")
      assert.deepStrictEqual(await directoryHolder(directory), { pid, alive: false })
      await lockDirectory(directory)
      assert.strictEqual((await directoryHolder(directory))?.pid, process.pid)
    } finally {
      parent.kill()
    }
  })

  it("takes over what is not a lock", async () => {
    await lockOf("not a process")
    await lockDirectory(directory)
    assert.strictEqual((await directoryHolder(directory))?.pid, process.pid)
  })

  it("does not take away the lock of whoever took over meanwhile", async () => {
    const release = await lockDirectory(directory)
    await lockOf(process.pid, "")
    await release()
    assert.deepStrictEqual(await readdir(directory), ["gatewarden.lock"])
  })
})
