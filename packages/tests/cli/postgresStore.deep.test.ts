/** Servers and commands on one PostgreSQL. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { managementKey } from "@gatewarden/testkit/server/serverProcess"
import { createDatabase, execute, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { gatewardenHere, keyring, run, server, statusOf, temporaryDirectory } from "./gatewarden.ts"

/** What is printed, where these tests look at it. */
interface Printed {
  readonly key: string
  readonly keys: readonly { readonly name: string }[]
  readonly migrations: readonly { readonly state: string }[]
  readonly applied: readonly unknown[]
}

const json = (text: string): Printed => JSON.parse(text) as Printed

const status = (url: string, key: string) => Effect.promise(() => statusOf(url, key))

describe("gatewarden with PostgreSQL", () => {
  it.live("makes one first key however many processes start, and needs no server for its commands", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      const pending = json((yield* run(["migrate", "--status", "--json"], environment)).stdout).migrations
      assert.isAbove(pending.length, 0)
      for (const { state } of pending) assert.strictEqual(state, "pending")

      const directories = yield* Effect.all([temporaryDirectory, temporaryDirectory])
      const servers = yield* Effect.all(
        directories.map((dataDirectory) =>
          server({ dataDirectory, environment: { ...environment, GATEWARDEN_MANAGEMENT_KEY: "" } })
        ),
        { concurrency: "unbounded" }
      )
      const files = yield* Effect.promise(() => Promise.all(directories.map((directory) => readdir(directory))))
      assert.deepStrictEqual(files.flat(), ["management-key"])
      const owner = files[0]?.length === 1 ? directories[0] : directories[1]
      const first = (yield* Effect.promise(() => readFile(join(owner ?? "", "management-key"), "utf8"))).trim()
      for (const { url } of servers) assert.strictEqual(yield* status(url, first), 200)

      const made = json((yield* run(["keys", "create", "--json"], environment)).stdout)
      for (const { url } of servers) assert.strictEqual(yield* status(url, made.key), 200)
      assert.lengthOf(json((yield* run(["keys", "list", "--json"], environment)).stdout).keys, 2)
      const { applied } = json((yield* run(["migrate", "--json"], environment)).stdout)
      assert.deepStrictEqual(applied, [])
      for (const { stop } of servers) assert.strictEqual(yield* Effect.promise(stop), 0)
    })
  )

  it.live("says what the database said when it takes no writes", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring, PORT: "0" }
      assert.strictEqual((yield* gatewardenHere(["migrate"], environment)).code, 0)
      const name = new URL(DATABASE_URL).pathname.slice(1)
      yield* Effect.promise(() =>
        execute(DATABASE_URL, `alter database ${name} set default_transaction_read_only = on`)
      )
      for (const command of [["keys", "list"], ["serve"]]) {
        const { code, stderr } = yield* gatewardenHere(command, environment)
        assert.strictEqual(code, 69, stderr)
        assert.match(
          stderr,
          /^gatewarden: The database does not answer: cannot execute .* in a read-only transaction\n$/
        )
      }
    })
  )

  it.live("is not ready while the database is gone, answers in form meanwhile, and recovers by itself", () =>
    Effect.gen(function* () {
      const postgres = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgresServer({ embedded: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const DATABASE_URL = yield* Effect.promise(postgres.createDatabase)
      const { url, stop } = yield* server({ environment: { DATABASE_URL, GATEWARDEN_KEYRING: keyring } })
      const { origin } = new URL(url)
      const get = async (path: string) => {
        const response = await fetch(path, { headers: { authorization: `Bearer ${managementKey}` } })
        const { error } = (await response.json()) as { error?: { metadata: { reason: string } } }
        return [response.status, error?.metadata.reason]
      }
      const becomes = (path: string, expected: readonly unknown[]) =>
        Effect.promise(() =>
          vi.waitFor(async () => assert.deepStrictEqual(await get(path), expected), { timeout: 30_000 })
        )
      yield* becomes(`${origin}/readyz`, [200, undefined])
      yield* Effect.promise(postgres.kill)
      yield* becomes(`${origin}/readyz`, [503, "store_unavailable"])
      yield* becomes(`${url}/workspaces/default`, [500, "store_unavailable"])
      yield* becomes(`${origin}/livez`, [200, undefined])
      yield* Effect.promise(postgres.restart)
      yield* becomes(`${origin}/readyz`, [200, undefined])
      yield* becomes(`${url}/workspaces/default`, [200, undefined])
      assert.strictEqual(yield* Effect.promise(stop), 0)
    })
  )
})
