/** An API key in a body is accepted where nobody can read it on its way, and goes no further than its hash. */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { withKeyHash } from "../../core/src/access/actingAccount.ts"
import { defaultSettings } from "../../core/src/http/AppSettings.ts"
import type { AppRequest } from "../../core/src/http/AppRequest.ts"
import { cameInConfidence } from "../../core/src/http/publicAddress.ts"

const api_key = "gw-v1-0123456789"

describe("withKeyHash", () => {
  it.effect("leaves the hash of the key, and all other fields", () =>
    Effect.gen(function* () {
      const asked = yield* withKeyHash({ api_key, model: "acme/sonnet" }, { isConfidential: Effect.succeed(true) })
      assert.deepEqual(asked, {
        model: "acme/sonnet",
        api_key_hash: createHash("sha256").update(api_key).digest("hex")
      })
    })
  )

  it.effect("refuses a key that others may have read, and names what to send", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(withKeyHash({ api_key }, { isConfidential: Effect.succeed(false) }))
      const [issue] = refused.issues ?? []
      assert.strictEqual(issue?.path, "api_key")
      assert.include(issue?.message, "send api_key_hash")
      assert.notInclude(JSON.stringify(refused), api_key)
    })
  )

  it.effect("knows TLS from the public address or from a trusted proxy", () =>
    Effect.gen(function* () {
      const from = (headers: Readonly<Record<string, string>>) =>
        ({ headers, whole: () => Effect.succeed(new Request("http://gate.test/api/v1/key")) }) as unknown as AppRequest
      const remote = { ...defaultSettings, addressOfRequest: false }
      const proxied = from({ "x-forwarded-proto": "https" })
      assert.isFalse(yield* cameInConfidence(remote, from({})))
      assert.isFalse(yield* cameInConfidence(remote, proxied))
      assert.isTrue(yield* cameInConfidence({ ...remote, region: { trustedProxies: 1 } }, proxied))
      assert.isTrue(yield* cameInConfidence({ ...remote, publicUrl: "https://gate.test/api/v1" }, from({})))
      assert.isTrue(yield* cameInConfidence(defaultSettings, from({})))
    })
  )
})
