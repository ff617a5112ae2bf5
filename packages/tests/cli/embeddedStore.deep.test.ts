/** The embedded store belongs to one process, which runs the commands of others. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { commandLine } from "@gatewarden/testkit/server/serverProcess"
import { gatewardenHere, modeOf, run, server, statusOf, temporaryDirectory } from "./gatewarden.ts"

const embedded = { DATABASE_URL: "", GATEWARDEN_MANAGEMENT_KEY: "" }

/** What is printed, where these tests look at it. */
interface Printed {
  readonly key: string
  readonly management_key: string
  readonly workspace_id: string
  readonly keys: readonly { readonly name: string }[]
  readonly migrations: readonly { readonly state: string }[]
  readonly applied: readonly unknown[]
  readonly url: string
  readonly token: string
  readonly hash: string
  readonly suspended_at: string
}

const json = (text: string): Printed => JSON.parse(text) as Printed

const status = (url: string, key: string) => Effect.promise(() => statusOf(url, key))

/** Runs a command that cannot write a byte to any file; a server can. Answers its exit code and what it said. */
const withoutRoom = async (args: readonly string[], environment: Readonly<Record<string, string>>) => {
  const child = spawn("sh", ["-c", 'ulimit -f 0 && exec "$0" "$@"', process.execPath, commandLine, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const said = text(child.stderr)
  const [code] = await once(child, "close")
  return [code, await said]
}

describe("gatewarden with the embedded store", () => {
  it.live("belongs to one process, which runs the commands of others", () =>
    Effect.gen(function* () {
      const dataDirectory = join(yield* temporaryDirectory, "data")
      const environment = { GATEWARDEN_DATA_DIR: dataDirectory }
      const first = yield* server({ dataDirectory, environment: embedded })

      const modes = yield* Effect.promise(() =>
        Promise.all(
          ["", "keyring", "management-key", "server.json", "database"].map((name) => modeOf(join(dataDirectory, name)))
        )
      )
      assert.deepStrictEqual(modes, ["700", "600", "600", "600", "700"])

      const second = yield* run(["serve"], { ...environment, PORT: "0" })
      assert.strictEqual(second.code, 75)
      assert.strictEqual(second.stdout, "")
      assert.strictEqual(
        second.stderr,
        `gatewarden: The data directory ${dataDirectory} is in use by process ${first.child.pid}. Stop it, or choose another directory.\n`
      )

      const account = yield* run(["accounts", "create", "acme", "--json"], environment)
      assert.strictEqual(account.code, 0, account.stderr)
      assert.strictEqual(yield* status(first.url, json(account.stdout).management_key), 200)
      const again = yield* gatewardenHere(["accounts", "create", "acme"], environment)
      assert.deepStrictEqual(
        [again.code, again.stdout, again.stderr],
        [1, "", 'gatewarden: There is an account "acme" already\n']
      )

      const key = json(
        (yield* gatewardenHere(["keys", "create", "--account", "acme", "--name", "app", "--json"], environment)).stdout
      )
      assert.match(key.key, /^gw-v1-/)
      assert.strictEqual(key.workspace_id, json(account.stdout).workspace_id)
      assert.strictEqual(yield* status(first.url, key.key), 200)

      const suspended = yield* gatewardenHere(["accounts", "suspend", "acme", "--json"], environment)
      assert.strictEqual(suspended.code, 0, suspended.stderr)
      assert.isString(json(suspended.stdout).suspended_at)
      assert.strictEqual(yield* status(first.url, key.key), 401)
      assert.include(
        (yield* gatewardenHere(["accounts", "list"], environment)).stdout,
        json(suspended.stdout).suspended_at
      )
      const resumed = yield* gatewardenHere(["accounts", "resume", "acme"], environment)
      assert.deepStrictEqual([resumed.code, resumed.stdout], [0, "Resumed acme: its keys are accepted again\n"])
      assert.strictEqual(yield* status(first.url, key.key), 200)
      for (const [name, said] of [
        ["nobody", 'There is no account "nobody"'],
        ["default", 'The account "default" operates this installation and cannot be suspended']
      ] as const) {
        const refused = yield* gatewardenHere(["accounts", "suspend", name], environment)
        assert.deepStrictEqual([refused.code, refused.stderr], [1, `gatewarden: ${said}\n`])
      }

      const path = join(dataDirectory, "..", "key")
      const written = yield* gatewardenHere(
        ["keys", "create", "--management", "--output-file", path, "--json"],
        environment
      )
      assert.strictEqual(written.code, 0, written.stderr)
      assert.notProperty(json(written.stdout), "key")
      assert.strictEqual(yield* Effect.promise(() => modeOf(path)), "600")
      assert.strictEqual(yield* status(first.url, (yield* Effect.promise(() => readFile(path, "utf8"))).trim()), 200)
      const kept = yield* gatewardenHere(["keys", "create", "--output-file", path], environment)
      assert.deepStrictEqual([kept.code, kept.stderr], [1, `gatewarden: ${path} cannot be made (EEXIST)\n`])
      const failed = yield* gatewardenHere(
        ["keys", "create", "--workspace", "nowhere", "--output-file", `${path}2`],
        environment
      )
      assert.strictEqual(failed.code, 1)
      assert.notInclude(yield* Effect.promise(() => readdir(join(dataDirectory, ".."))), "key2")

      // No key is made where the disk has no room for it: it could never be read.
      const crowded = yield* Effect.promise(() =>
        withoutRoom(["keys", "create", "--name", "crowded", "--output-file", `${path}2`], environment)
      )
      assert.deepStrictEqual(crowded, [1, `gatewarden: ${path}2 cannot be written (EFBIG)\n`])
      assert.notInclude(yield* Effect.promise(() => readdir(join(dataDirectory, ".."))), "key2")

      const migrations = json((yield* gatewardenHere(["migrate", "--status", "--json"], environment)).stdout).migrations
      assert.isAbove(migrations.length, 0)
      for (const { state } of migrations) assert.strictEqual(state, "applied")
      assert.deepStrictEqual(json((yield* gatewardenHere(["migrate", "--json"], environment)).stdout).applied, [])

      assert.notInclude((yield* gatewardenHere(["keys", "list"], environment)).stdout, "crowded")
      const listed = yield* gatewardenHere(["keys", "list", "--account", "acme"], environment)
      assert.include(listed.stdout, key.hash)
      assert.notInclude(listed.stdout, key.key)

      // Killed, it leaves its lock and its address behind; both are worth nothing.
      first.child.kill("SIGKILL")
      yield* Effect.promise(() =>
        vi.waitFor(() => assert.strictEqual(first.child.signalCode, "SIGKILL"), { timeout: 30_000 })
      )
      const alone = yield* run(["keys", "list", "--account", "acme", "--json"], environment)
      assert.strictEqual(alone.code, 0, alone.stderr)
      assert.deepStrictEqual(
        json(alone.stdout).keys.map(({ name }) => name),
        ["management", "app"]
      )
      const made = json(
        (yield* gatewardenHere(["keys", "create", "--name", "made alone", "--json"], environment)).stdout
      )

      const next = yield* server({ dataDirectory, environment: embedded })
      assert.strictEqual(yield* status(next.url, made.key), 200)
      assert.strictEqual(yield* status(next.url, key.key), 200)
      assert.strictEqual(yield* Effect.promise(next.stop), 0)
      assert.deepStrictEqual((yield* Effect.promise(() => readdir(dataDirectory))).sort(), [
        "database",
        "files",
        "keyring",
        "management-key"
      ])

      // Another keyring would read nothing of what the database holds.
      yield* Effect.promise(() => rm(join(dataDirectory, "keyring")))
      const lost = yield* run(["serve"], { ...environment, PORT: "0" })
      assert.strictEqual(lost.code, 78)
      assert.include(lost.stderr, "restore the file, or set GATEWARDEN_KEYRING")
    })
  )

  it.live("is waited for as long as its work takes", () =>
    Effect.gen(function* () {
      const GATEWARDEN_DATA_DIR = yield* temporaryDirectory
      const busy = createServer((_, response) => response.end(JSON.stringify({ ok: true, value: { keys: [] } })))
      yield* Effect.acquireRelease(
        Effect.promise(() => once(busy.listen(0, "127.0.0.1"), "listening")),
        () => Effect.promise(() => new Promise((resolve) => busy.close(resolve)))
      )
      const control = { pid: 1, url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}/`, token: "" }
      yield* Effect.promise(() => writeFile(join(GATEWARDEN_DATA_DIR, "server.json"), JSON.stringify(control)))
      // `fetch` waits for five minutes and no longer; a large store is not backed up by then.
      const fetching = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed"))
      yield* Effect.addFinalizer(() => Effect.sync(() => fetching.mockRestore()))
      const listed = yield* gatewardenHere(["keys", "list", "--json"], { GATEWARDEN_DATA_DIR })
      assert.deepStrictEqual([listed.code, JSON.parse(listed.stdout)], [0, { keys: [] }], listed.stderr)
    })
  )

  it.live("lets nobody run commands without the token", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      yield* server({ dataDirectory, environment: embedded })
      const { url, token } = json(yield* Effect.promise(() => readFile(join(dataDirectory, "server.json"), "utf8")))
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/)
      const call = (authorization: string, body: string) =>
        Effect.promise(async () => (await fetch(url, { method: "POST", headers: { authorization }, body })).status)
      const list = JSON.stringify({ command: "listKeys", input: {} })
      for (const authorization of ["", "Bearer ", `Bearer ${"0".repeat(64)}`, token, `Bearer ${token}0`])
        assert.strictEqual(yield* call(authorization, list), 401)
      assert.strictEqual(yield* call(`Bearer ${token}`, list), 200)
      assert.strictEqual(yield* call(`Bearer ${token}`, JSON.stringify({ command: "dropEverything" })), 400)
      assert.strictEqual(yield* call(`Bearer ${token}`, "{"), 400)
    })
  )

  it.live("says what is wrong with its data directory", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(directory, "file"), ""))
      const blocked = yield* gatewardenHere(["keys", "list"], { GATEWARDEN_DATA_DIR: join(directory, "file", "data") })
      assert.strictEqual(blocked.code, 78)
      assert.match(
        blocked.stderr,
        /^gatewarden: The data directory .* cannot be made or written \(ENOTDIR\): set GATEWARDEN_DATA_DIR .*\n$/
      )
      yield* Effect.promise(() => writeFile(join(directory, "keyring"), "k1:short"))
      yield* Effect.promise(() => chmod(join(directory, "keyring"), 0o600))
      const unusable = yield* gatewardenHere(["keys", "list"], { GATEWARDEN_DATA_DIR: directory })
      assert.strictEqual(unusable.code, 78)
      assert.include(unusable.stderr, "keyring is not usable")
      assert.notInclude(unusable.stderr, "short")
      const half = join(directory, "half")
      yield* Effect.promise(() => mkdir(join(half, "database"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(half, "database", "base"), ""))
      const obstructed = yield* gatewardenHere(["keys", "list"], { GATEWARDEN_DATA_DIR: half })
      assert.strictEqual(obstructed.code, 69)
      assert.match(obstructed.stderr, /its files cannot be used \((?:ENOTDIR|EEXIST)\)/)
    })
  )
})

describe("gatewarden with an embedded store that no server has opened", () => {
  it.live("migrates it so that a server starts on it, and makes nothing to say where it stands", () =>
    Effect.gen(function* () {
      const GATEWARDEN_DATA_DIR = join(yield* temporaryDirectory, "data")
      const environment = { GATEWARDEN_DATA_DIR }
      const { migrations } = json((yield* gatewardenHere(["migrate", "--status", "--json"], environment)).stdout)
      assert.isAbove(migrations.length, 0)
      for (const { state } of migrations) assert.strictEqual(state, "pending")
      assert.isFalse(existsSync(GATEWARDEN_DATA_DIR))

      const { applied } = json((yield* gatewardenHere(["migrate", "--json"], environment)).stdout)
      assert.lengthOf(applied, migrations.length)
      const made = yield* gatewardenHere(["keys", "create", "--json"], environment)
      assert.strictEqual(made.code, 0, made.stderr)
    })
  )
})
