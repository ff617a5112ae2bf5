/**
 * Two hundred secrets are submitted wherever one may be, and found nowhere: not in answers and spans. Logs, tables and files of real
 * servers: `deep/canaries.test.ts`.
 *
 * Rule: errors#nothing-internal, secrets#never-shown. Beside each search lies something that it must find, so that no search passes
 * by being blind.
 */
import { assert, describe, it } from "@effect/vitest"
import { defaultSettings, makeProviderFiles, parseKeyring, ProviderFiles } from "@gatewarden/core/internal"
import { startServer } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Exit, Redacted, References, Scope, Tracer } from "effect"
import { inject } from "vitest"
import { canarySearch } from "@gatewarden/testkit/canaries/canarySearch"
import { recordingTracer } from "@gatewarden/testkit/canaries/recordingTracer"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { canaries, collectLeaks, keyring, managementKey, planted, run } from "./canaryLeaks.ts"

describe("a search for canaries", () => {
  const [secret = "", other = ""] = canaries
  const { find } = canarySearch([secret, other])
  const middle = secret.slice(10, 30)
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) & 255))

  it("finds eight characters in whatever form they were written", () => {
    const piece = middle.slice(3, 11)
    const bytes = Buffer.from(piece)
    for (const [form, written] of Object.entries({
      plain: piece,
      hexadecimal: bytes.toString("hex"),
      "upper hexadecimal": bytes.toString("hex").toUpperCase(),
      "spaced hexadecimal": bytes.toString("hex").replace(/..(?=.)/g, "$& "),
      "list of numbers": JSON.stringify([...bytes]),
      "spaced list of numbers": [...bytes].join(", "),
      "UTF-16": bytes.toString("utf16le") === "" ? "" : Buffer.from(piece, "utf16le").toString("latin1"),
      "lower case": middle.toLowerCase(),
      "upper case": middle.toUpperCase(),
      base64: Buffer.from(`x${middle}`).toString("base64"),
      base64url: Buffer.from(`xx${middle}`).toString("base64url")
    })) {
      const findings = find(Buffer.concat([noise, Buffer.from(written, "latin1"), noise]))
      assert.include(
        findings.map((finding) => finding.form),
        form
      )
      for (const finding of findings) assert.strictEqual(finding.secret, secret)
    }
  })

  it("finds them at either end, and fewer nowhere", () => {
    const piece = middle.slice(0, 8)
    assert.lengthOf(find(piece), 1)
    assert.lengthOf(find(Buffer.concat([noise, Buffer.from(piece)])), 1)
    assert.lengthOf(find(Buffer.concat([Buffer.from(piece), noise])), 1)
    assert.lengthOf(find(`${middle.slice(0, 7)} ${middle.slice(8, 15)}`), 0)
    assert.lengthOf(find(`${secret.slice(0, 4)}...${secret.slice(-4)}`), 0)
    assert.lengthOf(find(noise), 0)
    assert.lengthOf(find(""), 0)
  })
})

describe("what was submitted as a secret", () => {
  // Thousands of requests, one after the other.
  it("is not in answers or spans, also when an upstream provider fails", { timeout: 240_000 }, async () => {
    const { tracer, lines } = recordingTracer()
    const parsed = parseKeyring(keyring)
    if ("problem" in parsed) throw new Error(parsed.problem)
    const url = await createMigratedDatabase(inject("postgres"))
    const scope = Scope.makeUnsafe()
    const { url: served } = await Effect.runPromise(
      startServer({
        store: layerPostgresStore({ url: Redacted.make(url) }),
        keyring: parsed.keyring,
        managementKey: Redacted.make(managementKey),
        settings: defaultSettings,
        host: "127.0.0.1",
        port: 0
      }).pipe(
        Effect.tap(Effect.void.pipe(Effect.withSpan("planted", { attributes: { planted } }))),
        // What an unlucky client library might say.
        Effect.provideService(
          ProviderFiles,
          makeProviderFiles({
            fetch: (target, init) =>
              Promise.reject(new Error(`${String(target)} ${JSON.stringify([...new Headers(init?.headers)])}`))
          })
        ),
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Scope.provide(scope)
      )
    )
    const made = await run(served, true).finally(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const { search, searchAnswers, leaks } = collectLeaks(made)
    assert.isTrue(searchAnswers())
    const spans = lines().join("\n")
    assert.isTrue(search("spans", spans))
    for (const part of ['"POST /api/v1/byok"', '"createByokCredential"', '"db.query.text"']) assert.include(spans, part)
    assert.deepStrictEqual(leaks(), [])
  })
})
