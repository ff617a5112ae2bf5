/** A body lies nowhere in plain text, and encrypted in the table of kept bodies alone. Rule: usage#prompt-logging. */
import { layerInstance } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { newLogging, recordSent, sentBy } from "@gatewarden/testkit/prompt/keptContentsSuite"
import { dumpDatabase } from "@gatewarden/testkit/stores/dumpDatabase"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"

const canary = "canary-3f9d1e"

describe("the bodies of requests", () => {
  it("are in no table of a database, and encrypted in one", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const recorded = Effect.gen(function* () {
      const logging = yield* newLogging
      const secret = { input: { messages: [{ role: "user", content: canary }] }, output: canary }
      yield* recordSent(logging, [sentBy(logging, "gen-of-canary", secret)])
    })
    await Effect.runPromise(
      recorded.pipe(
        Effect.provide(
          layerInstance(layerPostgresStore({ url: Redacted.make(url), notifications: false }), testKeyring)
        ),
        byHand({ now: Date.parse("2026-03-04T12:00:00.000Z") }),
        Effect.scoped
      ) as Effect.Effect<void, unknown>
    )
    const dumped = await dumpDatabase(url)
    const bytesOf = (text: string) => new TextEncoder().encode(text)
    const has = (bytes: Uint8Array, text: string) => Buffer.from(bytes).includes(Buffer.from(bytesOf(text)))
    const saw = (text: string) => [
      ...new Set(
        dumped
          .filter((table) => table.text.includes(text) || table.bytes.some((bytes) => has(bytes, text)))
          .map(({ table }) => table.replace(/_\d+$/, ""))
      )
    ]
    assert.deepEqual(saw(canary), [])
    // The search sees what is there.
    assert.sameMembers(saw("gen-of-canary"), [
      "gatewarden_usage_event",
      "gatewarden_usage_unfolded",
      "gatewarden_generation_content"
    ])
  })
})
