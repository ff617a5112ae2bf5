import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { managementKey } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { commandHere, gatewardenHere, keyring, server, statusOf, temporaryDirectory } from "./gatewarden.ts"

interface PrintedKey {
  readonly hash: string
  readonly key: string
  readonly state: string
  readonly kind: string
  readonly expires_at: string | null
}

/** How soon is measured with the processes that share a database. */
const becomes = (url: string, key: string, expected: number) =>
  vi.waitFor(async () => assert.strictEqual(await statusOf(url, key), expected), { timeout: 60_000, interval: 50 })

describe("gatewarden keys", () => {
  it.live(
    "rotates and revokes management keys where a server holds the store, at once",
    () =>
      Effect.gen(function* () {
        const dataDirectory = join(yield* temporaryDirectory, "data")
        const { url } = yield* server({
          dataDirectory,
          environment: { DATABASE_URL: "", GATEWARDEN_MANAGEMENT_KEY: "" }
        })
        const keys = async (...args: readonly string[]) => {
          const { code, stdout, stderr } = await commandHere(["keys", ...args, "--json"], {
            GATEWARDEN_DATA_DIR: dataDirectory
          })
          return { code, stderr, answer: (stdout === "" ? {} : JSON.parse(stdout)) as never }
        }
        yield* Effect.promise(async () => {
          const first = (await readFile(join(dataDirectory, "management-key"), "utf8")).trim()
          const list = async () => ((await keys("list")).answer as { keys: readonly PrintedKey[] }).keys
          const [listed] = await list()
          assert.deepInclude(listed, { kind: "management", state: "live", expires_at: null })
          const hash = listed?.hash ?? ""

          // Rule: access#restricted-keys.
          const last = await keys("revoke", hash)
          assert.strictEqual(last.code, 1)
          assert.include(last.stderr, "add --force")
          assert.strictEqual(await statusOf(url, first), 200)

          const rotated = await keys("rotate", hash.slice(0, 8), "--overlap", "1h")
          assert.strictEqual(rotated.code, 0, rotated.stderr)
          const { old, new: second } = rotated.answer as { readonly old: PrintedKey; readonly new: PrintedKey }
          assert.strictEqual(old.hash, hash)
          assert.approximately(Date.parse(old.expires_at ?? "") - Date.now(), 3_600_000, 60_000)
          assert.deepStrictEqual([await statusOf(url, first), await statusOf(url, second.key)], [200, 200])

          // The one that ends within the hour is no reason to let the other go.
          assert.strictEqual((await keys("revoke", second.hash)).code, 1)
          assert.strictEqual((await keys("revoke", hash)).code, 0)
          assert.strictEqual(await statusOf(url, first), 401)

          const path = join(dataDirectory, "..", "third")
          assert.strictEqual((await keys("rotate", second.hash, "--overlap", "0", "--output-file", path)).code, 0)
          const third = (await readFile(path, "utf8")).trim()
          assert.deepStrictEqual([await statusOf(url, second.key), await statusOf(url, third)], [401, 200])
          assert.strictEqual((await keys("rotate", second.hash)).code, 1)
          assert.deepStrictEqual(
            (await list()).map(({ state }) => state),
            ["revoked", "revoked", "live"]
          )

          // When all are lost, whoever may read the data directory makes another.
          const thirdHash = (await list()).find(({ state }) => state === "live")?.hash ?? ""
          assert.strictEqual((await keys("revoke", thirdHash, "--force")).code, 0)
          assert.strictEqual(await statusOf(url, third), 401)
          const made = (await keys("create", "--management", "--account", "default")).answer as PrintedKey
          assert.strictEqual(await statusOf(url, made.key), 200)
        })
      }),
    { tags: ["deep"] }
  )

  it.live("makes, rotates and revokes gateway keys, which manage nothing", () =>
    Effect.gen(function* () {
      const dataDirectory = join(yield* temporaryDirectory, "data")
      const { url } = yield* server({ dataDirectory, environment: { DATABASE_URL: "" } })
      const command = (...args: readonly string[]) =>
        commandHere([...args, "--json"], { GATEWARDEN_DATA_DIR: dataDirectory })
      yield* Effect.promise(async () => {
        const made = JSON.parse((await command("keys", "create", "--gateway", "--name", "edge")).stdout) as PrintedKey
        assert.match(made.key, /^gwg-v1-[0-9A-Za-z]{49}$/)
        assert.strictEqual(made.kind, "gateway")
        const put = (key: string) =>
          fetch(`${url}/gateway/catalog`, {
            method: "PUT",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify({ models: [] })
          }).then(({ status }) => status)
        assert.strictEqual(await put(made.key), 200)
        assert.strictEqual(await statusOf(url, made.key), 403)
        const rotated = JSON.parse((await command("keys", "rotate", made.hash, "--overlap", "0")).stdout) as {
          readonly new: PrintedKey
        }
        assert.deepStrictEqual([await put(made.key), await put(rotated.new.key)], [401, 200])

        const app = JSON.parse((await command("keys", "create", "--name", "app")).stdout) as PrintedKey
        const renewed = JSON.parse((await command("keys", "rotate", app.hash, "--overlap", "30d")).stdout) as {
          readonly old: PrintedKey
          readonly new: PrintedKey
          readonly overlap_ends_at: string
        }
        assert.deepStrictEqual([renewed.old.hash, renewed.new.hash, renewed.new.kind], [app.hash, app.hash, "normal"])
        assert.match(renewed.overlap_ends_at, /^20..-..-..T..:..:..\....Z$/)
        assert.strictEqual((await command("keys", "rotate", app.hash, "--overlap", "31d")).code, 2)
        const opens = (key: string) =>
          fetch(`${url}/key`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status)
        assert.deepStrictEqual([await opens(app.key), await opens(renewed.new.key)], [200, 200])
        assert.strictEqual((await command("keys", "revoke", app.hash)).code, 0)
        assert.deepStrictEqual([await opens(app.key), await opens(renewed.new.key)], [401, 401])

        // It is the operator's to see, and no tenant's.
        assert.strictEqual((await command("accounts", "create", "acme")).code, 0)
        const kindsOf = async (account: string) =>
          (
            JSON.parse((await command("keys", "list", "--account", account)).stdout) as { keys: readonly PrintedKey[] }
          ).keys
            .map(({ kind }) => kind)
            .sort()
        assert.deepStrictEqual(await kindsOf("default"), ["gateway", "gateway", "management", "normal"])
        assert.deepStrictEqual(await kindsOf("acme"), ["management"])
        const listed = JSON.parse((await command("accounts", "list")).stdout) as {
          accounts: readonly { name: string }[]
        }
        assert.deepStrictEqual(
          listed.accounts.map(({ name }) => name),
          ["default", "acme"]
        )
        for (const odd of [["--account", "acme"], ["--management"]])
          assert.strictEqual((await command("keys", "create", "--gateway", ...odd)).code, 2)

        assert.strictEqual((await command("keys", "revoke", rotated.new.hash)).code, 0)
        assert.strictEqual(await put(rotated.new.key), 401)
      })
    })
  )

  it.live("revokes on PostgreSQL elsewhere too, and for good", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      const { url } = yield* server({ environment })
      yield* Effect.promise(async () => {
        const keys = (...args: readonly string[]) => commandHere(["keys", ...args, "--json"], environment)
        assert.strictEqual(await statusOf(url, managementKey), 200)
        const { keys: listed } = JSON.parse((await keys("list")).stdout) as { keys: readonly PrintedKey[] }
        const made = JSON.parse((await keys("create", "--management")).stdout) as PrintedKey
        assert.strictEqual((await keys("revoke", listed[0]?.hash ?? "")).code, 0)
        await becomes(url, managementKey, 401)
        // A configuration that still names the key does not bring it back.
        await commandHere(["keys", "list"], { ...environment, GATEWARDEN_MANAGEMENT_KEY: managementKey })
        assert.strictEqual(await statusOf(url, managementKey), 401)
        const refusal = await fetch(`${url}/key`, { headers: { authorization: `Bearer ${managementKey}` } })
        assert.include(await refusal.text(), "revoked_api_key")
        assert.strictEqual(await statusOf(url, made.key), 200)
        const app = JSON.parse(
          (await keys("create", "--name", "app", "--limit", "10.50", "--reset", "weekly")).stdout
        ) as PrintedKey
        const own = await (await fetch(`${url}/key`, { headers: { authorization: `Bearer ${app.key}` } })).json()
        assert.deepInclude((own as { data: object }).data, {
          limit: 10.5,
          limit_remaining: 10.5,
          limit_reset: "weekly"
        })
        // The server keeps the key from before, and was not told.
        const rotated = JSON.parse((await keys("rotate", app.hash)).stdout) as { readonly new: PrintedKey }
        assert.strictEqual(rotated.new.hash, app.hash)
        assert.deepStrictEqual([await statusOf(url, rotated.new.key), await statusOf(url, app.key)], [200, 200])
        await keys("rotate", app.hash, "--overlap", "0")
        for (const former of [app.key, rotated.new.key]) await becomes(url, former, 401)
      })
    })
  )

  it.live("does not repeat what it does not understand, which may be a key", () =>
    Effect.gen(function* () {
      for (const args of [
        ["rotate", "gwm-v1-secret"],
        ["revoke", "gwm-v1-secret"],
        ["rotate", "abcdef", "--overlap", "1 day"]
      ]) {
        const { code, stdout, stderr } = yield* gatewardenHere(["keys", ...args], { DATABASE_URL: "memory:" })
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
        assert.notInclude(stderr, "secret")
      }
    })
  )
})
