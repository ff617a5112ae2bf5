import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { inject } from "vitest"
import {
  managementKey,
  type ServerProcessOptions,
  startServerProcess
} from "../../../conformance/src/server/serverProcess.ts"
import { createDatabase, startPostgresServer } from "../../../conformance/src/stores/postgresServer.ts"
import { gatewarden, gatewardenHere, rawConnection, temporaryDirectory } from "../gatewarden.ts"

const embedded = { DATABASE_URL: "", GATEWARDEN_MANAGEMENT_KEY: "" }
const keyring = `k1:${Buffer.alloc(32, 7).toString("base64")}`

/** A server that is gone when the scope closes, whatever a test did to it. */
const server = (options: ServerProcessOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startServerProcess(options)),
    ({ child }) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => gatewarden(args, environment))

/** What the commands print and the server logs, where tests look at it. */
interface Printed {
  readonly key: string
  readonly management_key: string
  readonly workspace_id: string
  readonly keys: readonly { readonly name: string }[]
  readonly migrations: readonly { readonly state: string }[]
  readonly applied: readonly unknown[]
  readonly url: string
  readonly token: string
  readonly openapi: string
  readonly GATEWARDEN_KEYRING: unknown
  readonly hash: string
  readonly level: string
  readonly message: string
  readonly method: string
  readonly route: string
  readonly status: number
}

const json = (text: string): Printed => JSON.parse(text) as Printed

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

const status = (url: string, key: string) =>
  Effect.promise(
    async () => (await fetch(`${url}/workspaces/default`, { headers: { authorization: `Bearer ${key}` } })).status
  )

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "")

describe("gatewarden serve", () => {
  it.live("writes exactly one line to stdout and logs to stderr, a JSON object a line", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const { url, stop, stdout, stderr } = yield* server({ dataDirectory })
      assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*\/api\/v1$/)
      assert.strictEqual(yield* Effect.promise(stop), 0)
      assert.strictEqual(stdout(), `gatewarden listening on ${url}\n`)
      const logged = lines(stderr()).map((line) => json(line))
      assert.deepStrictEqual(
        logged.map(({ level, message }) => `${level} ${message}`),
        ["info serving", "info draining"]
      )
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDirectory)), [])
    })
  )

  it.live("obeys host, base path and log level", () =>
    Effect.gen(function* () {
      const { url, stderr, stop } = yield* server({
        environment: { HOST: "localhost", GATEWARDEN_BASE_PATH: "/gate/v2", GATEWARDEN_LOG_LEVEL: "debug" }
      })
      assert.match(url, /^http:\/\/localhost:\d+\/gate\/v2$/)
      assert.strictEqual(yield* status(url, "nobody"), 401)
      yield* Effect.promise(stop)
      const requests = lines(stderr())
        .map((line) => json(line))
        .filter(({ message }) => message === "request")
      assert.lengthOf(requests, 1)
      assert.include(requests[0], { level: "debug", method: "GET", route: "/gate/v2/workspaces/:id", status: 401 })
    })
  )

  it.live("gives the first management key to whoever can read the data directory", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const { url, stderr } = yield* server({ dataDirectory, environment: { GATEWARDEN_MANAGEMENT_KEY: "" } })
      const path = join(dataDirectory, "management-key")
      const key = (yield* Effect.promise(() => readFile(path, "utf8"))).trim()
      assert.match(key, /^gwm-v1-[0-9A-Za-z]{49}$/)
      assert.strictEqual(yield* Effect.promise(() => modeOf(path)), "600")
      assert.include(stderr(), `gatewarden: the management key of the account "default" is in ${path}\n`)
      assert.notInclude(stderr(), key)
      assert.strictEqual(yield* status(url, key), 200)
    })
  )

  it.live("lets requests in flight finish after SIGTERM, and refuses others", () =>
    Effect.gen(function* () {
      const { url, child, stop, stdout } = yield* server({})
      const { port, origin } = new URL(url)
      const body = '{"name":"in flight"}'
      const connection = rawConnection(Number(port))
      connection.send(
        `POST /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${managementKey}\r\nContent-Type: application/json\r\n` +
          `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`
      )
      yield* Effect.promise(() => connection.until((text) => text.includes("100 Continue")))
      assert.strictEqual((yield* Effect.promise(() => fetch(`${origin}/readyz`))).status, 200)
      const stopped = stop()
      yield* Effect.promise(() =>
        vi.waitFor(async () => assert.strictEqual((await fetch(`${origin}/readyz`)).status, 503), { timeout: 10_000 })
      )
      const refused = yield* Effect.promise(() =>
        fetch(`${url}/workspaces/default`, { headers: { authorization: `Bearer ${managementKey}` } })
      )
      assert.strictEqual(refused.status, 503)
      assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/)
      assert.isNull(child.exitCode)
      connection.send(body.slice(5))
      assert.include(
        yield* Effect.promise(() => connection.until((text) => text.includes('"in flight"'))),
        "HTTP/1.1 200 OK"
      )
      assert.strictEqual(yield* Effect.promise(() => stopped), 0)
      assert.lengthOf(lines(stdout()), 1)
    })
  )

  it.live("leaves at once on a second signal", () =>
    Effect.gen(function* () {
      const { url, child } = yield* server({})
      const { port, origin } = new URL(url)
      const connection = rawConnection(Number(port))
      connection.send(
        `POST /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${managementKey}\r\n` +
          "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
      )
      yield* Effect.promise(() => connection.until((text) => text.includes("100 Continue")))
      const exit = once(child, "exit")
      child.kill("SIGINT")
      yield* Effect.promise(() =>
        vi.waitFor(async () => assert.strictEqual((await fetch(`${origin}/readyz`)).status, 503), { timeout: 10_000 })
      )
      child.kill("SIGINT")
      assert.deepStrictEqual(yield* Effect.promise(() => exit), [130, null])
    })
  )

  it.live("ends with 78 and every error of the configuration, a line each", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* run(["serve"], {
        PORT: "http",
        GATEWARDEN_WIRE: "soap",
        GATEWARDEN_KEYRING: "k1:s3cret",
        GATEWARDEN_PROT: "1"
      })
      assert.strictEqual(code, 78)
      assert.strictEqual(stdout, "")
      assert.deepStrictEqual(
        lines(stderr).map((line) => line.split(":").slice(0, 2).join(":")),
        ["gatewarden: PORT", "gatewarden: GATEWARDEN_KEYRING", "gatewarden: GATEWARDEN_WIRE"]
      )
      assert.notInclude(stderr, "s3cret")
    })
  )

  it.live("ends with 78 and one line when PostgreSQL comes without a keyring", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* run(["serve"], {
        DATABASE_URL: "postgres://warden:s3cret@127.0.0.1:1/gate"
      })
      assert.strictEqual(code, 78)
      assert.strictEqual(stdout, "")
      assert.lengthOf(lines(stderr), 1)
      assert.include(stderr, "GATEWARDEN_KEYRING: missing")
      assert.notInclude(stderr, "s3cret")
    })
  )

  it.live("ends with 69 when the database or the address cannot be had", () =>
    Effect.gen(function* () {
      const down = yield* run(["serve"], {
        DATABASE_URL: "postgres://warden:s3cret@127.0.0.1:1/gate",
        GATEWARDEN_KEYRING: keyring
      })
      assert.strictEqual(down.code, 69)
      assert.strictEqual(down.stdout, "")
      assert.lengthOf(lines(down.stderr), 1)
      assert.notInclude(down.stderr, "s3cret")
      const holder = createServer().listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(holder, "listening"))
      const address = holder.address()
      const PORT = String(typeof address === "object" && address !== null ? address.port : 0)
      const taken = yield* run(["serve"], {
        PORT,
        DATABASE_URL: "memory:",
        GATEWARDEN_MANAGEMENT_KEY: "k".repeat(40)
      })
      holder.close()
      assert.strictEqual(taken.code, 69)
      assert.strictEqual(taken.stdout, "")
      assert.strictEqual(taken.stderr, `gatewarden: Cannot listen on 127.0.0.1:${PORT} (EADDRINUSE)\n`)
    })
  )
})

describe("gatewarden with the embedded store", () => {
  it.live(
    "belongs to one process, which runs the commands of others",
    () =>
      Effect.gen(function* () {
        const dataDirectory = join(yield* temporaryDirectory, "data")
        const environment = { GATEWARDEN_DATA_DIR: dataDirectory }
        const first = yield* server({ dataDirectory, environment: embedded })

        const modes = yield* Effect.promise(() =>
          Promise.all(
            ["", "keyring", "management-key", "server.json", "database"].map((name) =>
              modeOf(join(dataDirectory, name))
            )
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
        const again = yield* run(["accounts", "create", "acme"], environment)
        assert.deepStrictEqual(
          [again.code, again.stdout, again.stderr],
          [1, "", 'gatewarden: There is an account "acme" already\n']
        )

        const key = json(
          (yield* run(["keys", "create", "--account", "acme", "--name", "app", "--json"], environment)).stdout
        )
        assert.match(key.key, /^gw-v1-/)
        assert.strictEqual(key.workspace_id, json(account.stdout).workspace_id)
        assert.strictEqual(yield* status(first.url, key.key), 200)

        const path = join(dataDirectory, "..", "key")
        const written = yield* run(["keys", "create", "--management", "--output-file", path, "--json"], environment)
        assert.strictEqual(written.code, 0, written.stderr)
        assert.notProperty(json(written.stdout), "key")
        assert.strictEqual(yield* Effect.promise(() => modeOf(path)), "600")
        assert.strictEqual(yield* status(first.url, (yield* Effect.promise(() => readFile(path, "utf8"))).trim()), 200)
        const kept = yield* run(["keys", "create", "--output-file", path], environment)
        assert.deepStrictEqual([kept.code, kept.stderr], [1, `gatewarden: ${path} cannot be made (EEXIST)\n`])
        const failed = yield* run(
          ["keys", "create", "--workspace", "nowhere", "--output-file", `${path}2`],
          environment
        )
        assert.strictEqual(failed.code, 1)
        assert.notInclude(yield* Effect.promise(() => readdir(join(dataDirectory, ".."))), "key2")

        const migrations = json((yield* run(["migrate", "--status", "--json"], environment)).stdout).migrations
        assert.isAbove(migrations.length, 0)
        for (const { state } of migrations) assert.strictEqual(state, "applied")
        assert.deepStrictEqual(json((yield* run(["migrate", "--json"], environment)).stdout).applied, [])

        const listed = yield* run(["keys", "list", "--account", "acme"], environment)
        assert.include(listed.stdout, key.hash)
        assert.notInclude(listed.stdout, key.key)

        // Killed, it leaves its lock and its address behind; both are worth nothing.
        first.child.kill("SIGKILL")
        yield* Effect.promise(() =>
          vi.waitFor(() => assert.strictEqual(first.child.signalCode, "SIGKILL"), { timeout: 10_000 })
        )
        const alone = yield* run(["keys", "list", "--account", "acme", "--json"], environment)
        assert.strictEqual(alone.code, 0, alone.stderr)
        assert.deepStrictEqual(
          json(alone.stdout).keys.map(({ name }) => name),
          ["management", "app"]
        )
        const made = json((yield* run(["keys", "create", "--name", "made alone", "--json"], environment)).stdout)

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
      }),
    180_000
  )

  it.live(
    "lets nobody run commands without the token",
    () =>
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
      }),
    60_000
  )

  it.live("says what is wrong with its data directory", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(directory, "file"), ""))
      const blocked = yield* gatewardenHere(["keys", "list"], { GATEWARDEN_DATA_DIR: join(directory, "file", "data") })
      assert.strictEqual(blocked.code, 78)
      assert.match(blocked.stderr, /^gatewarden: The data directory .* cannot be used \(ENOTDIR\)\n$/)
      yield* Effect.promise(() => writeFile(join(directory, "keyring"), "k1:short"))
      yield* Effect.promise(() => chmod(join(directory, "keyring"), 0o600))
      const unusable = yield* gatewardenHere(["keys", "list"], { GATEWARDEN_DATA_DIR: directory })
      assert.strictEqual(unusable.code, 78)
      assert.include(unusable.stderr, "keyring is not usable")
      assert.notInclude(unusable.stderr, "short")
    })
  )
})

describe("gatewarden catalog", () => {
  const model = (id: string) => ({
    id,
    name: id,
    created: 1_700_000_000,
    architecture: {
      input_modalities: ["text"],
      output_modalities: ["text"],
      modality: null,
      instruct_type: null,
      tokenizer: null
    },
    endpoints: []
  })

  const endpointsOf = (url: string, id: string) =>
    Effect.promise(
      async () =>
        (
          await fetch(`${url}/models/${id}/endpoints`, {
            headers: { authorization: `Bearer ${managementKey}` }
          })
        ).status
    )

  it.live(
    "is put at start and by a command, also while a server holds the store",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const write = (name: string, ...ids: readonly string[]) =>
          Effect.promise(async () => {
            const path = join(directory, name)
            await writeFile(path, JSON.stringify({ models: ids.map(model) }))
            return path
          })
        const dataDirectory = join(directory, "data")
        const { url } = yield* server({
          dataDirectory,
          environment: { DATABASE_URL: "", GATEWARDEN_CATALOG: yield* write("start.json", "acme/at-start") }
        })
        assert.strictEqual(yield* endpointsOf(url, "acme/at-start"), 200)
        assert.strictEqual(yield* endpointsOf(url, "acme/later"), 404)
        const put = yield* run(["catalog", "import", yield* write("later.json", "acme/later", "acme/more"), "--json"], {
          GATEWARDEN_DATA_DIR: dataDirectory
        })
        assert.strictEqual(put.code, 0, put.stderr)
        assert.deepStrictEqual(JSON.parse(put.stdout), { models: 2, endpoints: 0 })
        assert.strictEqual(yield* endpointsOf(url, "acme/later"), 200)
      }),
    120_000
  )

  it.live("is refused with 78 before anything is opened", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "catalog.json")
      const environment = { GATEWARDEN_CATALOG: path, GATEWARDEN_DATA_DIR: join(directory, "data") }
      for (const [text, line] of [
        [undefined, "cannot be read (ENOENT)"],
        ["{", "is not JSON"],
        ['{"models":[],"models":[]}', "is not JSON"],
        ['{"models":[{}]}', "is not usable"]
      ] as const) {
        if (text !== undefined) yield* Effect.promise(() => writeFile(path, text))
        for (const args of [["serve"], ["catalog", "import", path]]) {
          const { code, stdout, stderr } = yield* gatewardenHere(args, environment)
          assert.strictEqual(code, 78, `${text}: ${stderr}`)
          assert.strictEqual(stdout, "")
          assert.include(stderr, `gatewarden: The catalog ${path} ${line}`)
        }
      }
      assert.notInclude(yield* Effect.promise(() => readdir(directory)), "data")
    })
  )
})

describe("gatewarden with PostgreSQL", () => {
  it.live(
    "makes one first key however many processes start, and needs no server for its commands",
    () =>
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
      }),
    180_000
  )

  it.live(
    "is not ready while the database is gone, answers in form meanwhile, and recovers by itself",
    () =>
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
            vi.waitFor(async () => assert.deepStrictEqual(await get(path), expected), { timeout: 20_000 })
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
      }),
    120_000
  )
})

describe("gatewarden", () => {
  it.live("explains itself", () =>
    Effect.gen(function* () {
      const help = yield* run(["--help"])
      assert.strictEqual(help.code, 0)
      for (const name of ["serve", "migrate", "accounts", "keys", "catalog", "usage", "openapi", "config"])
        assert.include(help.stdout, `\n  ${name}`)
      assert.match((yield* run(["--version"])).stdout, /^gatewarden v\d+\.\d+\.\d+\n$/)
      assert.include((yield* run(["keys", "create", "--help"])).stdout, "--output-file")
    })
  )

  it.live("ends with 2 when it is not understood, and keeps stdout clean", () =>
    Effect.gen(function* () {
      for (const args of [
        ["bogus"],
        ["accounts", "create"],
        ["keys", "create", "--colour"],
        ["accounts", "create", ""]
      ]) {
        const { code, stdout, stderr } = yield* gatewardenHere(args, { DATABASE_URL: "memory:" })
        assert.strictEqual(code, 2, args.join(" "))
        assert.strictEqual(stdout, "")
        for (const line of lines(stderr)) assert.isTrue(line.startsWith("gatewarden: "), line)
      }
    })
  )

  it.live("reaches no store that lives in another process's memory", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* gatewardenHere(["keys", "list"], { DATABASE_URL: "memory:" })
      assert.strictEqual(code, 69)
      assert.include(stderr, "in-memory")
    })
  )

  it.live("prints its configuration and the API's document", () =>
    Effect.gen(function* () {
      const environment = { GATEWARDEN_KEYRING: keyring, PGHOST: "db" }
      const printed = yield* gatewardenHere(["config", "print", "--json"], environment)
      assert.strictEqual(printed.code, 0)
      assert.deepStrictEqual(json(printed.stdout).GATEWARDEN_KEYRING, { value: "<redacted>", source: "environment" })
      assert.strictEqual(
        printed.stderr,
        "gatewarden: warning: PGHOST set, but DATABASE_URL is not: the embedded database is used\n"
      )
      assert.match((yield* gatewardenHere(["config", "print"], environment)).stdout, /^PORT +8787 +default$/m)
      assert.strictEqual(json((yield* gatewardenHere(["openapi"])).stdout).openapi, "3.1.0")
    })
  )
})
