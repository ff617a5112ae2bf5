import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { exitCode } from "../../node/src/failure/exitCode.ts"
import { commandHere, keyring, linesOf, temporaryDirectory } from "./gatewarden.ts"

const event = {
  created_at: "2026-03-04T11:00:00Z",
  model: "acme/sonnet:free",
  provider: "acme",
  prompt_tokens: 3,
  completion_tokens: 4
}

const lines = (values: readonly object[]) => values.map((one) => `${JSON.stringify(one)}\n`).join("")

/** Rule: usage#reconciliation. */
describe("gatewarden usage reconcile", () => {
  it.live("compares a bill, and proposes what makes both sides equal", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const DATABASE_URL = await createMigratedDatabase(inject("postgres"))
        const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
        const run = (...args: readonly string[]) => commandHere(["usage", ...args], environment)
        const path = (name: string) => join(directory, name)
        const events = [
          { ...event, id: "a", user_id: "anna", cost_usd: "1" },
          { ...event, id: "b", user_id: "bert", cost_usd: "3", cost_components: { usage_web: "0.5" } },
          { ...event, id: "c", cost_usd: "7", provider: "other" },
          { ...event, id: "d", cost_usd: "2", created_at: "2026-03-05T00:00:00Z" }
        ]
        await writeFile(path("events.ndjson"), lines(events))
        assert.strictEqual((await run("import", path("events.ndjson"))).code, 0)
        const bill = ["2026-03-04,sonnet,2,6", "2026-03-05,acme/sonnet,2,7", "2026-03-05,unheard,1,"]
        await writeFile(path("bill.csv"), ["date,model,cost_usd,prompt_tokens", ...bill, ""].join("\n"))

        const reconcile = (...args: readonly string[]) =>
          run("reconcile", path("bill.csv"), "--provider", "acme", ...args)
        const compared = await reconcile("--propose", path("proposed.ndjson"))
        assert.strictEqual(compared.code, 0, compared.stderr)
        assert.deepEqual(
          linesOf(compared.stdout).map((line) => line.split(/ {2,}/)),
          [
            ["DATE", "BILLED", "RECORDED", "DIFFERENCE", "BILLED TOKENS", "RECORDED TOKENS", "MODEL"],
            ["2026-03-04", "2", "4", "-2", "6", "14", "acme/sonnet"],
            ["2026-03-05", "2", "2", "0", "7", "7", "acme/sonnet"],
            ["2026-03-05", "1", "0", "1", "0", "unheard"],
            ["TOTAL", "5", "6", "-1", ""],
            [`2 adjustments in ${path("proposed.ndjson")}; import them with gatewarden usage import`],
            ["No events of 2026-03-05 for unheard: nothing can be adjusted"]
          ]
        )
        const proposed = await readFile(path("proposed.ndjson"), "utf8")
        assert.match(proposed, /"adjusts":"a".*"cost_usd":"0\.5"/)

        for (const accepted of [2, 0]) {
          const imported = await run("import", path("proposed.ndjson"), "--json")
          assert.strictEqual(imported.code, 0, imported.stderr)
          const { files } = JSON.parse(imported.stdout) as { files: readonly { accepted: number }[] }
          assert.strictEqual(files[0]?.accepted, accepted)
        }
        const again = JSON.parse((await reconcile("--json")).stdout) as {
          rows: readonly object[]
          recorded_usd: string
        }
        assert.strictEqual(again.recorded_usd, "4")
        assert.deepInclude(again.rows[0], { difference_usd: "0", recorded_usd: "2", recorded_tokens: "14" })
        // What the events cost is split by user as before.
        const invoice = await commandHere(["invoices", "--month", "2026-03", "--by", "user"], environment)
        assert.match(invoice.stdout, /^anna +1 +3 +4 +0\.5 /m)
        assert.match(invoice.stdout, /^bert +1 +3 +4 +1\.5 /m)

        await writeFile(path("none.csv"), "date,model\n2026-03-04,sonnet\n")
        const refused = await run("reconcile", path("none.csv"), "--provider", "acme")
        assert.strictEqual(refused.code, exitCode.failure)
        assert.include(refused.stderr, "The header does not name cost_usd")
      })
    })
  )
})
