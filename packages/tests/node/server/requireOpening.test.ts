/** A keyring that opens nothing of what is stored stops the start. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { managementKey } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { linesOf, run, server } from "../../cli/gatewarden.ts"

const ringOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`

describe("a keyring at the start", () => {
  it.live(
    "has to open some of what is stored",
    () =>
      Effect.gen(function* () {
        const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
        const environment = (keyring: string) => ({ DATABASE_URL, GATEWARDEN_KEYRING: keyring })
        const start = (keyring: string) => server({ environment: environment(keyring) })
        const refused = (keyring: string) => run(["serve"], { PORT: "0", ...environment(keyring) })

        // Nothing is sealed yet, so that any keyring does.
        yield* Effect.promise((yield* start(ringOf("k0", 1))).stop)
        const first = yield* start(ringOf("k1", 2))
        const made = yield* Effect.promise(() =>
          fetch(`${first.url}/byok`, {
            method: "POST",
            headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
            body: JSON.stringify({ provider: "openai", key: "sk-0123456789-0123456789" })
          })
        )
        assert.strictEqual(made.status, 200)
        yield* Effect.promise(first.stop)

        for (const keyring of [ringOf("k1", 3), ringOf("k2", 2)]) {
          const { code, stdout, stderr } = yield* refused(keyring)
          assert.deepStrictEqual([code, stdout], [78, ""], stderr)
          const said = linesOf(stderr).filter((line) => line.startsWith("gatewarden: "))
          assert.include(said[0], "decrypts none of the 1 stored secrets, which were encrypted by: k1")
          assert.include(said[1], "GATEWARDEN_KEYRING")
          assert.include(said[1], "gatewarden keyring rotate")
        }
        yield* Effect.promise((yield* start(`${ringOf("k2", 3)},${ringOf("k1", 2)}`)).stop)
      }),
    { tags: ["deep"] }
  )
})
