import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { commandHere, temporaryDirectory } from "./gatewarden.ts"

describe("gatewarden credits", () => {
  it.live("grants and revokes exact amounts, and shows them with the audit log", () =>
    Effect.gen(function* () {
      const environment = { GATEWARDEN_DATA_DIR: join(yield* temporaryDirectory, "data"), DATABASE_URL: "" }
      const command = (...args: readonly string[]) => commandHere([...args, "--json"], environment)
      yield* Effect.promise(async () => {
        assert.strictEqual((await command("accounts", "create", "acme")).code, 0)
        const granted = await command("credits", "grant", "100.000000001", "--account", "acme", "--note", "invoice 7")
        assert.strictEqual(granted.code, 0, granted.stderr)
        assert.deepInclude(JSON.parse(granted.stdout) as object, { amount_usd: "100.000000001", note: "invoice 7" })
        assert.strictEqual((await command("credits", "revoke", "0.5", "--account", "acme")).code, 0)
        const shown = JSON.parse((await command("credits", "show", "--account", "acme")).stdout) as {
          readonly entries: readonly { readonly amount_usd: string }[]
        }
        assert.deepInclude(shown as object, { granted_usd: "99.500000001", used_usd: "0" })
        assert.deepStrictEqual(
          shown.entries.map(({ amount_usd }) => amount_usd),
          ["-0.5", "100.000000001"]
        )
        assert.deepInclude(JSON.parse((await command("credits", "show")).stdout) as object, {
          granted_usd: "0",
          entries: []
        })
        const log = await command("audit", "list", "--account", "acme", "--noun", "credit_grant")
        assert.include(log.stdout, "invoice 7")
        for (const amount of ["0", "1e3", "0.0000000001", "ten", "10000000001"])
          assert.strictEqual((await command("credits", "grant", amount, "--account", "acme")).code, 2, amount)
        for (const [name, amount, account] of [
          ["revoke", "99.500000002", "acme"],
          ["grant", "1000000000", "acme"],
          ["grant", "1", "nobody"]
        ] as const)
          assert.strictEqual((await command("credits", name, amount, "--account", account)).code, 1)
        assert.deepInclude(JSON.parse((await command("credits", "show", "--account", "acme")).stdout) as object, {
          granted_usd: "99.500000001"
        })
      })
    })
  )
})
