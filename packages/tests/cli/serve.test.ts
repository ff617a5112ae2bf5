/** `gatewarden serve`: what it prints, obeys and refuses, and how it stops. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { managementKey } from "@gatewarden/testkit/server/serverProcess"
import { repository } from "@gatewarden/testkit/publishing/publishedPackages"
import { keyring, linesOf, modeOf, rawConnection, run, server, statusOf, temporaryDirectory } from "./gatewarden.ts"

/** What is printed, where these tests look at it. */
interface Printed {
  readonly level: string
  readonly message: string
  readonly method: string
  readonly route: string
  readonly status: number
}

const json = (text: string): Printed => JSON.parse(text) as Printed

const hasScript = process.platform === "linux" && existsSync("/usr/bin/script")

const status = (url: string, key: string) => Effect.promise(() => statusOf(url, key))

describe("gatewarden serve", () => {
  it.live("writes exactly one line to stdout and logs to stderr, a JSON object a line", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const { url, stop, stdout, stderr } = yield* server({ dataDirectory })
      assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*\/api\/v1$/)
      assert.strictEqual(yield* Effect.promise(stop), 0)
      assert.strictEqual(stdout(), `gatewarden listening on ${url}\n`)
      const logged = linesOf(stderr()).map((line) => json(line))
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
      const requests = linesOf(stderr())
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

  it.live.runIf(hasScript)("shows on a terminal where it is, and the first key with a line that exports it", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        // util-linux script(1): runs a command under a pseudo terminal, and types what it is sent.
        const child = spawn("script", ["-qfec", "npm start --silent", "/dev/null"], {
          cwd: repository,
          env: { PATH: process.env["PATH"] ?? "", HOME: dataDirectory, PORT: "0", GATEWARDEN_DATA_DIR: dataDirectory },
          stdio: ["pipe", "pipe", "ignore"]
        })
        let shown = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
        await vi.waitFor(() => assert.include(shown, "Ctrl-C stops it"), { timeout: 120_000, interval: 100 })
        const key = (await readFile(join(dataDirectory, "management-key"), "utf8")).trim()
        const url = /gatewarden listening on (\S+)/.exec(shown)?.[1] ?? ""
        assert.strictEqual(await statusOf(url, key), 200)
        for (const part of [` ${url}\r\n`, new URL("/docs", url).href, `  ${key}\r\n`, `export KEY=${key}\r\n`])
          assert.include(shown.slice(shown.indexOf("Gatewarden ")), part)
        assert.strictEqual(shown.match(/INFO[^\n]*serving/g)?.length, 1)
        // The build has prepared a database with the schema.
        assert.notInclude(shown, "Applied migration")
        // Ctrl-C reaches npm and the server, and npm passes its own on: the server drains all the same.
        const ended = once(child, "close")
        child.stdin.write("\u0003")
        await ended
        assert.match(shown.slice(shown.indexOf("Ctrl-C")), /INFO[^\n]*draining/)
        assert.notInclude(await readdir(dataDirectory), "gatewarden.lock")
      })
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
        vi.waitFor(async () => assert.strictEqual((await fetch(`${origin}/readyz`)).status, 503), { timeout: 30_000 })
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
      assert.lengthOf(linesOf(stdout()), 1)
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
        vi.waitFor(async () => assert.strictEqual((await fetch(`${origin}/readyz`)).status, 503), { timeout: 30_000 })
      )
      // A copy of the first signal, which npm sends, does not count; one that comes later does.
      yield* Effect.promise(() =>
        vi.waitFor(() => {
          child.kill("SIGINT")
          assert.isNotNull(child.exitCode)
        })
      )
      assert.deepStrictEqual(yield* Effect.promise(() => exit), [130, null])
    })
  )

  it.live("leads from / and /docs/ to the API page, and nowhere without one", () =>
    Effect.gen(function* () {
      const { url } = yield* server({})
      const bare = yield* server({ environment: { GATEWARDEN_DOCS: "0" } })
      yield* Effect.promise(async () => {
        for (const path of ["/", "/docs/"]) {
          const answer = await fetch(new URL(path, url))
          assert.deepStrictEqual([answer.status, answer.url], [200, new URL("/docs", url).href])
          assert.strictEqual((await fetch(new URL(path, bare.url))).status, 404)
        }
      })
    })
  )

  it.live("ends when npm is told to stop", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const npm = spawn("npm", ["start", "--silent"], {
          cwd: repository,
          env: {
            PATH: process.env["PATH"] ?? "",
            HOME: dataDirectory,
            PORT: "0",
            DATABASE_URL: "memory:",
            GATEWARDEN_DATA_DIR: dataDirectory
          },
          stdio: ["ignore", "pipe", "ignore"]
        })
        const [line] = (await once(npm.stdout.setEncoding("utf8"), "data")) as [string]
        assert.match(line, /^gatewarden listening on \S+\n$/)
        // The server holds its end of the pipe for as long as it lives.
        const ended = once(npm, "close")
        npm.kill("SIGTERM")
        await ended
      })
    })
  )

  it.live("ends with 78 and one line where no directory can be made", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(dataDirectory, "file"), ""))
      const impossible = [join(dataDirectory, "file"), ...(existsSync("/proc/self") ? ["/proc/gatewarden"] : [])]
      for (const path of impossible) {
        const { code, stderr } = yield* run(["serve"], { PORT: "0", GATEWARDEN_DATA_DIR: path })
        assert.strictEqual(code, 78)
        assert.lengthOf(linesOf(stderr), 1)
        assert.include(stderr, `${path} cannot be made or written (E`)
        assert.include(stderr, "GATEWARDEN_DATA_DIR")
      }
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
        linesOf(stderr).map((line) => line.split(":").slice(0, 2).join(":")),
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
      assert.lengthOf(linesOf(stderr), 1)
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
      assert.lengthOf(linesOf(down.stderr), 1)
      assert.notInclude(down.stderr, "s3cret")
      const holder = createServer().listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(holder, "listening"))
      const address = holder.address()
      const PORT = String(typeof address === "object" && address !== null ? address.port : 0)
      const misread = yield* run(["serve", "--port", "http"])
      assert.deepStrictEqual([misread.code, linesOf(misread.stderr).length], [2, 2])
      assert.match(misread.stderr, /^gatewarden: .*--port/)
      const taken = yield* run(["serve", "--port", PORT], {
        PORT: "0",
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
