/** The guide "rotate the keyring", with processes that are restarted too late. Docs: docs/operating/encryption-keys.md */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { managementKey } from "../../../conformance/src/server/serverProcess.ts"
import { createMigratedDatabase } from "../../../conformance/src/stores/migratedDatabases.ts"
import { commandHere, server, temporaryDirectory } from "../gatewarden.ts"

const keyOf = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString("base64")}`
const [k1, k2] = [keyOf("k1", 1), keyOf("k2", 2)]

const headers = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

const createCredential = async (url: string, key: string, name: string): Promise<void> => {
  const body = JSON.stringify({ name, key: `sk-${"x".repeat(40)}`, provider: "openai" })
  const { status } = await fetch(`${url}/byok`, { method: "POST", headers: headers(key), body })
  assert.strictEqual(status, 200)
}

const rotate = (environment: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const { code, stdout, stderr } = await commandHere(["keyring", "rotate", "--json"], environment)
    return { code, stderr, summary: (stdout === "" ? {} : JSON.parse(stdout)) as { readonly behind?: number } }
  })

describe("gatewarden keyring rotate", () => {
  it.live("names each server on PostgreSQL whose first key is another, and is done once none is left", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const on = (GATEWARDEN_KEYRING: string) => ({ DATABASE_URL, GATEWARDEN_KEYRING })
      const former = yield* server({ environment: on(k1) })
      const learning = yield* server({ environment: on(`${k1},${k2}`) })
      const current = yield* server({ environment: on(`${k2},${k1}`) })
      yield* Effect.promise(() => createCredential(former.url, managementKey, "one"))

      const refused = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(refused.code, 75, refused.stderr)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1\n/)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1, k2\n/)
      assert.notInclude(refused.stderr, "keys k2")

      yield* Effect.promise(() => former.stop())
      const again = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(again.code, 75, again.stderr)
      assert.notMatch(again.stderr, /has the keys k1\n/)

      yield* Effect.promise(() => learning.stop())
      const done = yield* rotate(on(`${k2},${k1}`))
      assert.strictEqual(done.code, 0, done.stderr)
      assert.strictEqual(done.summary.behind, 0)
      yield* Effect.promise(() => current.stop())

      const last = yield* server({ environment: on(k2) })
      yield* Effect.promise(() => createCredential(last.url, managementKey, "two"))
      assert.strictEqual((yield* rotate(on(k2))).code, 0)
    })
  )

  it.live("compares the file of the embedded store with the keyring of the server that holds it", () =>
    Effect.gen(function* () {
      const dataDirectory = join(yield* temporaryDirectory, "data")
      const environment = { GATEWARDEN_DATA_DIR: dataDirectory }
      const start = () => server({ dataDirectory, environment: { DATABASE_URL: "" } })
      const first = yield* start()
      const file = join(dataDirectory, "keyring")
      const key = managementKey
      yield* Effect.promise(async () => {
        await createCredential(first.url, key, "one")
        await copyFile(file, `${file}.former`)
        await writeFile(file, `${k2},${(await readFile(file, "utf8")).trim()}\n`)
      })
      const refused = yield* rotate(environment)
      assert.strictEqual(refused.code, 75, refused.stderr)
      assert.match(refused.stderr, /process \d+ on \S+ \(instance \S+, started 20\S+Z\) has the keys k1\n/)

      yield* Effect.promise(() => first.stop())
      const second = yield* start()
      assert.strictEqual((yield* rotate(environment)).code, 0)
      yield* Effect.promise(async () => {
        await second.stop()
        await writeFile(file, `${k2}\n`)
      })
      const third = yield* start()
      yield* Effect.promise(() => createCredential(third.url, key, "two"))
      assert.strictEqual((yield* rotate(environment)).code, 0)
    })
  )
})
