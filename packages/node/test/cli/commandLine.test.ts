/** The command line where no store is opened. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewardenHere, keyring, linesOf, run } from "../gatewarden.ts"

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
        "openapi",
        "config"
      ])
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
        for (const line of linesOf(stderr)) assert.isTrue(line.startsWith("gatewarden: "), line)
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
