/** The command line where no store is opened. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Command } from "effect/cli"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { publishedPackages, repository } from "@gatewarden/testkit/publishing/publishedPackages"
import { commandLine } from "@gatewarden/testkit/server/serverProcess"
import { gatewarden as commands } from "../../node/src/cli/commands.ts"
import { gatewardenHere, keyring, linesOf, run } from "./gatewarden.ts"

/** What is printed, where these tests look at it. */
interface Printed {
  readonly openapi: string
  readonly GATEWARDEN_KEYRING: unknown
}

const json = (text: string): Printed => JSON.parse(text) as Printed

describe("gatewarden", () => {
  it.live("explains itself", () =>
    Effect.gen(function* () {
      const help = yield* run(["--help"])
      assert.strictEqual(help.code, 0)
      for (const name of [
        "serve",
        "demo",
        "migrate",
        "accounts",
        "keys",
        "keyring",
        "move",
        "backup",
        "restore",
        "doctor",
        "catalog",
        "usage",
        "destinations",
        "deliveries",
        "dead-letters",
        "replay",
        "openapi",
        "config"
      ])
        assert.include(help.stdout, `\n  ${name}`)
      assert.match((yield* run(["--version"])).stdout, /^gatewarden v\d+\.\d+\.\d+\n$/)
      assert.include((yield* run(["keys", "create", "--help"])).stdout, "--output-file")
    })
  )

  it.live("gives an example with the help of each command", () =>
    Effect.gen(function* () {
      const withoutExample = ({ name, examples, subcommands }: Command.Command.Any): readonly string[] => [
        ...(examples.every(({ command }) => /^(?:[A-Z_]+=\S+ )*gatewarden /.test(command)) && examples.length > 0
          ? []
          : [name]),
        ...subcommands.flatMap(({ commands }) => commands.flatMap(withoutExample))
      ]
      assert.deepStrictEqual(withoutExample(commands), [])
      const [asked, flagged] = [yield* run(["help", "keys", "create"]), yield* run(["keys", "create", "--help"])]
      assert.deepStrictEqual(asked, flagged)
      assert.include(asked.stdout, "gatewarden keys create --name app --limit 10 --reset monthly")
      for (const words of [["nonsense"], ["keys", "nonsense"]]) {
        const { code, stderr } = yield* run(["help", ...words])
        assert.strictEqual(code, 2)
        assert.include(stderr, 'Unknown subcommand "nonsense"')
      }
    })
  )

  it.live("runs in a clone under its own name", () =>
    Effect.gen(function* () {
      const bin = join(
        repository,
        "packages/node",
        publishedPackages.find(({ folder }) => folder === "node")?.manifest.bin?.["gatewarden"] ?? ""
      )
      // npm links to the file that is committed, so it has to be one that a clone can run.
      const { code, stdout } = yield* Effect.promise(
        () =>
          new Promise<{ code: number; stdout: string }>((resolve) => {
            execFile(bin, ["--version"], { cwd: tmpdir() }, (error, stdout) => resolve({ code: error ? 1 : 0, stdout }))
          })
      )
      assert.deepStrictEqual([code, stdout], [0, (yield* run(["--version"])).stdout])
    })
  )

  it.live("ends with 2 when it is not understood, and keeps stdout clean", () =>
    Effect.gen(function* () {
      for (const args of [
        ["bogus"],
        ["accounts", "create"],
        ["keys", "create", "--colour"],
        ["keys", "create", "--limit", "ten"],
        ["keys", "create", "--limit", "-1"],
        ["keys", "create", "--limit", "0.0000000001"],
        ["keys", "create", "--reset", "monthly"],
        ["keys", "create", "--limit", "1", "--reset", "yearly"],
        ["keys", "create", "--management", "--limit", "1"],
        ["accounts", "create", ""]
      ]) {
        const { code, stdout, stderr } = yield* gatewardenHere(args, { DATABASE_URL: "memory:" })
        assert.strictEqual(code, 2, args.join(" "))
        assert.strictEqual(stdout, "")
        for (const line of linesOf(stderr)) assert.isTrue(line.startsWith("gatewarden: "), line)
      }
    })
  )

  it.live("names the Node that is needed where it is started on an older one", () =>
    Effect.gen(function* () {
      const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })`
      const { code, stdout, stderr } = yield* run(["--help"], {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}`
      })
      assert.deepStrictEqual([code, stdout], [78, ""])
      assert.match(stderr, /^gatewarden: Node 18\.20\.8 is too old: install Node .*\n$/)
    })
  )

  it.live("reaches no store that lives in another process's memory", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* gatewardenHere(["keys", "list"], { DATABASE_URL: "memory:" })
      assert.strictEqual(code, 78)
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

describe("gatewarden whose output nobody takes", () => {
  const begin = (args: readonly string[], stdout: "pipe" | number) => {
    const child = spawn(process.execPath, [commandLine, ...args], {
      env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: "memory:", PORT: "0" },
      stdio: ["ignore", stdout, "pipe"]
    })
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    return { child, said: () => stderr }
  }

  it("ends quietly when its reader has read enough", async () => {
    const { child, said } = begin(["openapi"], "pipe")
    child.stdout?.destroy()
    await once(child, "close")
    assert.deepStrictEqual([child.exitCode, said()], [0, ""])
  })

  it.skipIf(!existsSync("/dev/full"))("says so when the result cannot be written", async () => {
    const full = await open("/dev/full", "w")
    const { child, said } = begin(["config", "print"], full.fd)
    await once(child, "close")
    await full.close()
    assert.deepStrictEqual([child.exitCode, said()], [75, "gatewarden: the result cannot be written (ENOSPC)\n"])
  })

  it("serves on when nobody reads its log any more", async () => {
    const { child } = begin(["serve"], "pipe")
    await once(child.stdout ?? child, "data")
    child.stdout?.destroy()
    child.stderr?.destroy()
    // It logs that it is draining, and then drains.
    child.kill("SIGTERM")
    assert.deepStrictEqual(await once(child, "exit"), [0, null])
  })
})
