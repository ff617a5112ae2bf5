/** The same fault has the same exit code, whichever command meets it. The codes are those of the table of faults. */
import { assert, describe, it } from "@effect/vitest"
import { lockDirectory } from "@gatewarden/postgres/internal"
import { Effect } from "effect"
import type { Command } from "effect/cli"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Readable } from "node:stream"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { gatewarden as commands } from "../../node/src/cli/commands.ts"
import { runCommandLine } from "../../node/src/cli/runCommandLine.ts"
import { type Fault, faults } from "../../node/src/failure/exitCode.ts"
import { directoryFailure } from "../../node/src/store/openStore.ts"
import { fileFailure } from "../../node/src/failure/fileFailure.ts"
import { openGatewarden } from "../../node/src/instance/openGatewarden.ts"
import { gatewardenHere, keyring, temporaryDirectory } from "./gatewarden.ts"

type Environment = Readonly<Record<string, string>>

/** Every command that does something, and arguments that it takes. */
const leaves = ({ name, subcommands }: Command.Command.Any, above: readonly string[] = []): readonly string[] => {
  const path = [...above, name]
  const below = subcommands.flatMap(({ commands }) => commands)
  return below.length === 0 ? [path.slice(1).join(" ")] : below.flatMap((command) => leaves(command, path))
}

const destination = "9c1e5b1a-0b3f-4a38-8f0e-2d9f6f0f6b7d"

/** Files that commands read are in the directory that the test is given. */
const usual = (directory: string): Readonly<Record<string, readonly string[]>> => ({
  serve: [],
  demo: [],
  migrate: [],
  "accounts create": ["acme"],
  "accounts list": [],
  "accounts suspend": ["acme"],
  "accounts resume": ["acme"],
  "audit list": [],
  "audit verify": [],
  "credits grant": ["10"],
  "credits revoke": ["10"],
  "credits show": [],
  "keys create": [],
  "keys list": [],
  "keys rotate": ["5ad48d81"],
  "keys revoke": ["5ad48d81"],
  "keyring rotate": [],
  doctor: [],
  move: ["--to", "postgres://nobody@127.0.0.1:1/none"],
  backup: [join(directory, "backup")],
  restore: [join(directory, "no-backup")],
  "catalog import": [join(directory, "catalog.json")],
  "usage import": [join(directory, "usage.ndjson")],
  "usage export": ["--out", join(directory, "export.ndjson")],
  "usage move": ["--to", "clickhouse://nobody@127.0.0.1:1/none"],
  "usage reconcile": [join(directory, "bill.csv"), "--provider", "acme"],
  invoices: ["--month", "2026-03", "--by", "user"],
  destinations: [],
  deliveries: [destination],
  "dead-letters": [destination],
  replay: [destination, "--until", "2026-01-05T00:00:00Z"],
  openapi: [],
  "config print": []
})

const names = leaves(commands)

/** Without a store. */
const storeless = ["demo", "openapi", "config print"]
const needStore = names.filter((name) => !storeless.includes(name))

/** Makes an installation with a credential. */
const storeSecret = async (environment: Environment): Promise<void> => {
  const key = "test-management-key-0123456789-abcdefghij"
  const { gatewarden, close } = await openGatewarden({
    environment: { ...environment, GATEWARDEN_MANAGEMENT_KEY: key },
    background: false
  })
  const response = await gatewarden.fetch(
    new Request("http://localhost/api/v1/byok", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "one", provider: "openai", key: `sk-${"x".repeat(40)}` })
    })
  )
  assert.strictEqual(response.status, 200, await response.text())
  await close()
}

const prepared = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  yield* Effect.promise(async () => {
    await writeFile(join(directory, "catalog.json"), JSON.stringify({ models: [] }))
    await writeFile(join(directory, "usage.ndjson"), "")
    await writeFile(join(directory, "bill.csv"), "date,model,cost_usd\n2026-03-01,acme/sonnet,1\n")
  })
  return { directory, args: usual(directory) }
})

/** Runs each of the commands, and expects the code of the fault. */
const expectFault = Effect.fnUntraced(function* (
  fault: Fault,
  which: readonly string[],
  environment: Environment,
  more: readonly string[] = []
) {
  const { directory, args } = yield* prepared
  const ended = yield* Effect.forEach(which, (name) =>
    Effect.map(
      gatewardenHere([...name.split(" "), ...(args[name] ?? []), ...more], {
        GATEWARDEN_DATA_DIR: join(directory, "data"),
        PORT: "0",
        ...environment
      }),
      ({ code, stderr }) => [name, code, code === faults[fault].code ? "" : stderr] as const
    )
  )
  assert.deepStrictEqual(
    ended,
    which.map((name) => [name, faults[fault].code, ""] as const)
  )
})

const without = (...left: readonly string[]) => needStore.filter((name) => !left.includes(name))

describe("exit codes", () => {
  it("knows every command", () => {
    assert.sameMembers(Object.keys(usual("")), [...names])
  })

  it.live("are those of usage for a flag or a command that is unknown", () =>
    Effect.gen(function* () {
      yield* expectFault("usage", names, {}, ["--nonsense"])
      for (const group of ["", "accounts", "audit", "credits", "keys", "keyring", "catalog", "usage", "config"])
        assert.strictEqual((yield* gatewardenHere([...group.split(" ").filter(Boolean), "nonsense"])).code, 2, group)
    })
  )

  it.live("are those of usage for a value that a flag or argument does not take, before a store is opened", () =>
    Effect.gen(function* () {
      for (const args of [
        ["serve", "--port", "nonsense"],
        ["serve", "--port", "65536"],
        ["accounts", "create", ""],
        ["audit", "list", "--limit", "0"],
        ["audit", "list", "--from", "nonsense"],
        ["credits", "grant", "nonsense"],
        ["credits", "revoke", "0"],
        ["keys", "create", "--limit", "nonsense"],
        ["keys", "create", "--gateway", "--management"],
        ["keys", "rotate", "nonsense"],
        ["keys", "rotate", "5ad48d81", "--overlap", "nonsense"],
        ["keys", "revoke", "nonsense"],
        ["usage", "export", "--out", "events.txt"],
        ["usage", "import", "events.txt"],
        ["invoices", "--month", "nonsense", "--by", "user"],
        ["invoices", "--month", "2026-03", "--by", "nonsense"],
        ["deliveries", "nonsense"],
        ["deliveries", destination, "--outcome", "lost"],
        ["dead-letters", destination, "--limit", "101"],
        ["replay", destination],
        ["replay", destination, "--event", "a", "--until", "2026-01-05T00:00:00Z"],
        ["replay", destination, "--until", "nonsense"],
        ["move", "--to", "nonsense"]
      ]) {
        const { code, stderr } = yield* gatewardenHere(args, { DATABASE_URL: "memory:" })
        assert.strictEqual(code, faults.usage.code, `${args.join(" ")}: ${stderr}`)
      }
    })
  )

  it.live("are those of the configuration for a variable that is wrong or missing", () =>
    Effect.gen(function* () {
      const configured = names.filter((name) => name !== "demo" && name !== "openapi")
      yield* expectFault("configuration", configured, { GATEWARDEN_LOG_LEVEL: "nonsense" })
      yield* expectFault("configuration", configured, { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" })
    })
  )

  it.live("are those of the store where the command cannot work on one in memory", () =>
    Effect.gen(function* () {
      // A server and the doctor can; nothing has to be migrated; a restore reads its backup first.
      const which = without("serve", "doctor", "migrate", "restore")
      yield* expectFault("store", which, { DATABASE_URL: "memory:" })
      yield* expectFault("store", ["move"], {
        DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
        GATEWARDEN_KEYRING: keyring
      })
    })
  )

  it.live("are those of the database where it does not answer", () =>
    Effect.gen(function* () {
      const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none"
      yield* expectFault("unavailable", without("move", "restore"), { DATABASE_URL, GATEWARDEN_KEYRING: keyring })
      yield* expectFault("unavailable", ["move"], { GATEWARDEN_DATA_DIR: yield* temporaryDirectory })
    })
  )

  it.live("are those of the database where it takes no writes", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const name = new URL(DATABASE_URL).pathname.slice(1)
      yield* Effect.promise(() =>
        execute(DATABASE_URL, `alter database ${name} set default_transaction_read_only = on`)
      )
      yield* expectFault("unavailable", ["serve", "keys list", "accounts create", "backup", "doctor"], {
        DATABASE_URL,
        GATEWARDEN_KEYRING: keyring
      })
    })
  )

  it.live("are those of a failure where the schema is missing and may not be made", () =>
    Effect.gen(function* () {
      const owner = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const name = new URL(owner).pathname.slice(1)
      const role = `reader_${name.replaceAll(/\W/g, "_")}`
      const DATABASE_URL = Object.assign(new URL(owner), { username: role, password: "x" }).href
      yield* Effect.promise(() => execute(owner, "revoke create on schema public from public"))
      yield* Effect.acquireRelease(
        Effect.promise(() => execute(owner, `create role ${role} login password 'x'`)),
        () => Effect.promise(() => execute(owner, `drop role ${role}`))
      )
      yield* expectFault("failure", without("move", "restore"), { DATABASE_URL, GATEWARDEN_KEYRING: keyring })
    })
  )

  it.live("are those of the schema where it is of a newer version", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      yield* Effect.promise(() =>
        execute(
          DATABASE_URL,
          "insert into gatewarden_migration (id, name, checksum, applied_at) values (9999, 'from_the_future', 'x', now())"
        )
      )
      yield* expectFault("schema", without("move", "restore"), { DATABASE_URL, GATEWARDEN_KEYRING: keyring })
    })
  )

  it.live("are those of the data directory where it is a file, or was moved", () =>
    Effect.gen(function* () {
      const { directory } = yield* prepared
      const file = join(directory, "usage.ndjson")
      yield* expectFault("directory", without("restore"), { GATEWARDEN_DATA_DIR: file })
      const moved = yield* temporaryDirectory
      yield* Effect.promise(() =>
        writeFile(join(moved, "moved.json"), JSON.stringify({ to: "postgres://x", at: "2026-01-05T00:00:00.000Z" }))
      )
      yield* expectFault("directory", without("move", "restore"), { GATEWARDEN_DATA_DIR: moved })
    })
  )

  it.live("are those of a busy store where another process holds the data directory", () =>
    Effect.gen(function* () {
      const held = yield* temporaryDirectory
      yield* Effect.promise(() => mkdir(join(held, "database"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(held, "database", "PG_VERSION"), "17\n"))
      yield* Effect.promise(() => writeFile(join(held, "keyring"), `${keyring}\n`, { mode: 0o600 }))
      yield* Effect.acquireRelease(
        Effect.promise(() => lockDirectory(held)),
        (release) => Effect.promise(release)
      )
      yield* expectFault("busy", without("restore"), { GATEWARDEN_DATA_DIR: held })
    })
  )

  it.live("are those of the address where another program listens", () =>
    Effect.gen(function* () {
      const taken = createServer()
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))),
        () => Effect.promise(() => new Promise<unknown>((resolve) => taken.close(resolve)))
      )
      const PORT = String((taken.address() as AddressInfo).port)
      yield* expectFault("address", ["serve", "doctor"], { DATABASE_URL: "memory:", PORT })
      yield* expectFault("address", ["serve"], { DATABASE_URL: "memory:", GATEWARDEN_METRICS_PORT: PORT })
    })
  )

  it.live("are those of a missing thing or file that the command line names", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const environment = { GATEWARDEN_DATA_DIR: data }
      yield* Effect.acquireRelease(
        Effect.promise(() => openGatewarden({ environment, background: false })),
        ({ close }) => Effect.promise(close)
      )
      const accounted = names.filter((name) =>
        /^(audit|credits|keys|usage (?!move)|invoices|destinations|deliveries|dead-letters|replay)/.test(name)
      )
      yield* expectFault("missing", accounted, environment, ["--account", "nobody"])
      yield* expectFault("missing", ["accounts suspend", "accounts resume"], environment)
      yield* expectFault("missing", ["keys rotate", "keys revoke"], environment)
      yield* expectFault("missing", ["deliveries", "dead-letters", "replay"], environment)
      yield* expectFault("missing", ["keys create", "usage import", "destinations"], environment, [
        "--workspace",
        "nowhere"
      ])
      for (const args of [
        ["catalog", "import", join(data, "none.json")],
        ["catalog", "import", join(data, "keyring")],
        ["usage", "import", join(data, "none.ndjson")],
        ["usage", "export", "--out", join(data, "none", "events.ndjson")],
        ["keys", "create", "--output-file", join(data, "keyring")],
        ["backup", data],
        ["restore", join(data, "none")]
      ])
        assert.strictEqual((yield* gatewardenHere(args, environment)).code, faults.file.code, args.join(" "))
    })
  )

  it.live("are those of an interrupted command", () =>
    Effect.gen(function* () {
      const { directory, args } = yield* prepared
      for (const name of ["keyring rotate", "backup", "restore", "usage import", "usage export", "move"]) {
        let stderr = ""
        const code = yield* runCommandLine({
          args: [...name.split(" "), ...(args[name] ?? [])],
          environment: { GATEWARDEN_DATA_DIR: directory },
          stdin: Readable.from([]),
          stdout: { write: () => true },
          stderr: { isTTY: false, write: (text: string | Uint8Array) => ((stderr += String(text)), true) },
          stopped: Effect.void,
          exitWithin: () => {}
        })
        assert.strictEqual(code, faults.interrupted.code, `${name}: ${stderr}`)
      }
    })
  )

  it("are those of a full disk, whoever met it", () => {
    const full = Object.assign(new Error("full"), { code: "ENOSPC" })
    assert.strictEqual(directoryFailure("/data")(full).exitCode, faults.disk_full.code)
    assert.strictEqual(fileFailure("/data/file cannot be written", full).exitCode, faults.disk_full.code)
    const gone = Object.assign(new Error("gone"), { code: "ENOENT" })
    assert.strictEqual(fileFailure("/data/file cannot be written", gone).exitCode, faults.file.code)
  })

  it.live(
    "are those of the keyring where it does not decrypt what is stored",
    () =>
      Effect.gen(function* () {
        const data = yield* temporaryDirectory
        const environment = { GATEWARDEN_DATA_DIR: join(data, "installation"), PORT: "0" }
        yield* Effect.promise(() => storeSecret(environment))
        const backup = join(data, "whole")
        assert.strictEqual((yield* gatewardenHere(["backup", backup], environment)).code, 0)
        const wrong = { ...environment, GATEWARDEN_KEYRING: `k9:${Buffer.alloc(32, 9).toString("base64")}` }
        yield* expectFault("keyring", ["serve", "doctor", "keyring rotate", "backup"], wrong)
        const restored = { ...wrong, GATEWARDEN_DATA_DIR: join(data, "restored") }
        const { code, stderr } = yield* gatewardenHere(["restore", backup], restored)
        assert.strictEqual(code, faults.keyring.code, stderr)
      }),
    { tags: ["deep"] }
  )
})
