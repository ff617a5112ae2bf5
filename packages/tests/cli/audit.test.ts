import { auditExamined } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { gatewardenHere, keyring } from "./gatewarden.ts"

interface Page {
  readonly entries: readonly { readonly position: number; readonly entity: string }[]
  readonly next: number | null
}

describe("gatewarden audit list", () => {
  it.live("finds what is far back in a long log, however little matches, and tells where the next page begins", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      assert.strictEqual((yield* gatewardenHere(["accounts", "create", "acme"], environment)).code, 0)
      const length = 2 * auditExamined + 10
      yield* Effect.promise(() =>
        execute(
          DATABASE_URL,
          `insert into gatewarden_changes (account_id, noun, action, id)
           select a.id, 'guardrail', 'update', case when n in (1, 2, ${auditExamined}) then 'rare' else 'usual' end
           from gatewarden_account a cross join generate_series(1, ${length}) n where a.name = 'acme' order by n`
        )
      )
      const list = (...args: readonly string[]) =>
        gatewardenHere(["audit", "list", "--account", "acme", ...args], environment)
      const pageOf = (...args: readonly string[]) =>
        Effect.map(list(...args, "--json"), ({ code, stdout, stderr }) => {
          assert.strictEqual(code, 0, stderr)
          const { entries, next } = JSON.parse(stdout) as Page
          return {
            found: entries.map(({ entity }) => entity),
            positions: entries.map(({ position }) => position),
            next
          }
        })
      const whole = yield* pageOf("--entity", "rare")
      assert.deepStrictEqual([whole.found, whole.next], [["rare", "rare", "rare"], null])
      const two = yield* pageOf("--entity", "rare", "--limit", "2")
      assert.deepStrictEqual([two.positions, two.next], [whole.positions.slice(0, 2), whole.positions[1] ?? null])
      const rest = yield* pageOf("--entity", "rare", "--below", String(two.next))
      assert.deepStrictEqual(rest.positions, whole.positions.slice(2))
      const printed = yield* list("--entity", "rare", "--limit", "2")
      assert.include(printed.stdout, `There may be earlier ones: --below ${two.next}\n`)
      const made = yield* list("--noun", "workspace")
      assert.match(made.stdout, /ENTITY +NAME\n.*workspace\.create +operator .* Default\n/)
      assert.deepStrictEqual(yield* pageOf("--entity", "none"), { found: [], positions: [], next: null })
    })
  )
})
