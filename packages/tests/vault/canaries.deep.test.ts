/**
 * Two hundred secrets are submitted wherever one may be, and found nowhere: not in answers, logs and spans, not in the
 * database, its files and its journal.
 *
 * Rule: errors#nothing-internal, secrets#never-shown. Beside each search lies something that it must find, so that no search passes
 * by being blind.
 */
import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { dumpDatabase } from "@gatewarden/testkit/stores/dumpDatabase"
import { execute, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { collectLeaks, environment, run } from "./canaryLeaks.ts"

describe("what was submitted as a secret", () => {
  it("is not in answers, logs, tables or files of a server on PostgreSQL", async () => {
    const postgres = await startPostgresServer({ embedded: true })
    try {
      const url = await postgres.createDatabase()
      const server = await startServerProcess({ environment: { ...environment, DATABASE_URL: url } })
      const made = await run(server.url).finally(server.stop)
      const { search, searchAnswers, searchFiles, leaks } = collectLeaks(made)
      assert.isTrue(searchAnswers())
      assert.isTrue(search("stderr", server.stderr()))
      assert.isFalse(search("stdout", server.stdout()))

      const dumped = await dumpDatabase(url)
      assert.isAbove(dumped.filter(({ text }) => text !== "").length, 10)
      assert.isAbove(dumped.flatMap(({ bytes }) => bytes).length, 50)
      const saw = dumped.filter(({ table, text, bytes }) => {
        const sawBytes = bytes.map((value) => search(table, value)).includes(true)
        return search(table, text) || sawBytes
      })
      assert.deepStrictEqual(
        // A seal repeats the request id of its change, once background work has sealed it.
        saw.map(({ table }) => table).filter((table) => table !== "gatewarden_audit_seal"),
        ["gatewarden_changes", "gatewarden_workspace"]
      )

      const [facts] = await execute(url, "checkpoint", "select current_setting('data_directory') as directory")
      const files = await searchFiles(String(facts?.["directory"]))
      for (const place of ["/base/", "/pg_wal/"])
        assert.isTrue(
          files.some((file) => file.includes(place)),
          place
        )
      assert.deepStrictEqual(leaks(), [])
    } finally {
      await postgres.stop()
    }
  })

  it("is not in answers, logs or files of a server on the embedded store", async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
    try {
      const server = await startServerProcess({ dataDirectory, environment: { ...environment, DATABASE_URL: "" } })
      const made = await run(server.url).finally(server.stop)
      const { search, searchAnswers, searchFiles, leaks } = collectLeaks(made)
      assert.isTrue(searchAnswers())
      assert.isTrue(search("stderr", server.stderr()))
      assert.isFalse(search("stdout", server.stdout()))
      const files = await searchFiles(dataDirectory)
      for (const place of ["/base/", "/pg_wal/"])
        assert.isTrue(
          files.some((file) => file.includes(place)),
          place
        )
      assert.deepStrictEqual(leaks(), [])
    } finally {
      await rm(dataDirectory, { recursive: true, force: true })
    }
  })
})
