/** The demonstration is a test: it checks what it claims. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gatewarden } from "../cli/gatewarden.ts"

describe("gatewarden demo", () => {
  it("holds what it claims, plainly where nobody watches, and leaves nothing behind", async () => {
    const directory = await mkdtemp(join(tmpdir(), "gatewarden-demo-"))
    try {
      const { code, stdout, stderr } = await gatewarden(["demo"], { GATEWARDEN_DATA_DIR: directory })
      assert.strictEqual(code, 0, stdout + stderr)
      const lines = stdout.trimEnd().split("\n")
      assert.match(lines.at(-1) ?? "", /^All \d+ claims hold, in \d+ s\.$/)
      for (const act of ["1  Money", "2  Why", "3  Leak", "4  Embed", "1  Money, afterwards"])
        assert.include(lines, act)
      assert.notInclude(stdout, "\u001b")
      assert.notInclude(stdout, "\r")
      for (const line of lines) if (/\S\s+\S/.test(line.trim())) assert.isAtMost(line.length, 80, line)
      assert.deepEqual(await readdir(directory), [])
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
