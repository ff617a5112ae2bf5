import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { exitCode } from "../../node/src/failure/exitCode.ts"
import { commandHere, keyring, linesOf, temporaryDirectory } from "./gatewarden.ts"

const event = {
  created_at: "2026-03-04T11:00:00Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 3,
  completion_tokens: 4
}

describe("gatewarden invoices", () => {
  it.live("prints a month as a table, as CSV and as JSON", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const DATABASE_URL = await createMigratedDatabase(inject("postgres"))
        const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
        const path = join(directory, "events.ndjson")
        const events = [
          { ...event, user_id: "anna", cost_usd: "0.000000001" },
          { ...event, cost_usd: "2" },
          { ...event, cost_usd: "7", created_at: "2026-04-01T00:00:00Z" }
        ]
        await writeFile(path, events.map((one) => `${JSON.stringify(one)}\n`).join(""))
        assert.strictEqual((await commandHere(["usage", "import", path], environment)).code, 0)
        const invoices = (...args: readonly string[]) => commandHere(["invoices", ...args], environment)
        const march = ["--month", "2026-03", "--by", "user"]
        assert.deepEqual(
          linesOf((await invoices(...march)).stdout).map((line) => line.split(/ {2,}/)),
          [
            ["USER", "REQUESTS", "PROMPT", "COMPLETION", "COST", "BYOK COST", "FEES", "NAME"],
            ["anna", "1", "3", "4", "0.000000001", "0", "0", ""],
            ["(none)", "1", "3", "4", "2", "0", "0", ""],
            ["TOTAL", "2", "6", "8", "2.000000001", "0", "0", ""]
          ]
        )
        const csv = linesOf((await invoices(...march, "--csv")).stdout)
        assert.strictEqual(csv.at(-1)?.trim(), "2026-03,total,,2,6,8,2.000000001,0,0,true,")
        const byWorkspace = linesOf((await invoices("--month", "2026-03", "--by", "workspace")).stdout)
        assert.match(byWorkspace[1] ?? "", / {2}Default$/)
        const { total } = JSON.parse((await invoices(...march, "--json")).stdout) as { total: object }
        assert.deepInclude(total, { requests: 2, cost_usd: "2.000000001" })
        assert.strictEqual((await invoices("--month", "March", "--by", "user")).code, exitCode.usage)
        assert.strictEqual((await invoices("--month", "2026-03", "--by", "tag")).code, exitCode.usage)
      })
    })
  )
})
