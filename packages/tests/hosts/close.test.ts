/** What an instance opens it closes: a process that has nothing else to do ends by itself. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

const openAndClose = fileURLToPath(new URL("../../testkit/dist/server/openAndClose.js", import.meta.url))

describe("close() leaves no handle open", () => {
  for (const [name, store] of [
    ["memory", async () => "memory"],
    ["PGlite", async () => "pglite"],
    ["PostgreSQL", () => createMigratedDatabase(inject("postgres"))]
  ] as const)
    it(`of ${name}`, async () => {
      // Fails should the process not end by itself.
      const { stdout } = await promisify(execFile)(process.execPath, [openAndClose, await store()], {
        timeout: 240_000
      })
      const { before, after, statuses } = JSON.parse(stdout) as Readonly<Record<string, unknown>>
      assert.deepEqual(statuses, [200, 200])
      assert.strictEqual(after, before)
    })
})

describe("an instance that nobody closes", () => {
  it("does not hold back the end of a script, also if it works in the background", async () => {
    const script = `import { createGatewarden, memory } from "@gatewarden/core"
await createGatewarden({ store: memory(), background: true })
process.stdout.write("made")`
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      timeout: 60_000
    })
    assert.strictEqual(stdout, "made")
  }, 70_000)
})
