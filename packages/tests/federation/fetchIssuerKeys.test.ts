import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fetchIssuerKeys } from "../../core/src/federation/IssuerKeys.ts"
import type { Fetch } from "../../core/src/platform/Fetch.ts"

const issuer = "https://issuer.example.com"
const x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
const y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
const key = { kty: "EC", crv: "P-256", alg: "ES256", kid: "1", x, y }

const answering =
  (answers: Readonly<Record<string, unknown>>): Fetch =>
  async (url) =>
    url in answers ? Response.json(answers[url]) : new Response("", { status: 404 })

/** Whether the keys of the issuer have the one that a token names. */
const finds = (
  keys: unknown,
  address: { jwks_uri: string | null } = { jwks_uri: `${issuer}/keys` },
  alg: string = "ES256"
) =>
  Effect.runPromise(
    fetchIssuerKeys(
      answering({
        [`${issuer}/keys`]: keys,
        [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${issuer}/keys` }
      }),
      { issuer, ...address }
    ).pipe(
      Effect.flatMap((set) =>
        Effect.promise(() =>
          set({ alg, kid: "1" }, { payload: "", signature: "" }).then(
            ({ type }) => type,
            () => "none"
          )
        )
      ),
      Effect.orElseSucceed(() => "failed")
    )
  )

describe("fetchIssuerKeys", () => {
  it("finds a key, at its address and by discovery", async () => {
    assert.strictEqual(await finds({ keys: [key] }), "public")
    assert.strictEqual(await finds({ keys: [key] }, { jwks_uri: null }), "public")
  })

  it("takes the public half of a key that is private", async () => {
    assert.strictEqual(await finds({ keys: [{ ...key, d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI" }] }), "public")
  })

  it("leaves out what is no key for signatures", async () => {
    for (const other of [
      { ...key, use: "enc" },
      { ...key, kty: "oct", k: "secret" },
      { ...key, n: "x".repeat(1_401) },
      null,
      "key"
    ])
      assert.strictEqual(await finds({ keys: [other] }), "none")
  })

  it("leaves out RSA keys whose signatures are slow to check", async () => {
    const bytes = (count: number) => Buffer.alloc(count, 0xff).toString("base64url")
    const rsa = (modulus: number, exponent: number) =>
      finds(
        { keys: [{ kty: "RSA", alg: "RS256", kid: "1", n: bytes(modulus / 8), e: bytes(exponent / 8) }] },
        { jwks_uri: `${issuer}/keys` },
        "RS256"
      )
    assert.deepEqual([await rsa(2048, 24), await rsa(3072, 32), await rsa(8192, 32)], ["public", "public", "public"])
    assert.deepEqual(
      [await rsa(3072, 40), await rsa(3072, 3072), await rsa(8192, 64), await rsa(8200, 24)],
      ["none", "none", "none", "none"]
    )
  })

  it("has none of several keys that a token may mean, so that none of them is tried", async () => {
    assert.strictEqual(await finds({ keys: [key, key] }), "none")
  })

  it("refuses what is no key set, or too long a one", async () => {
    for (const set of [{}, { keys: {} }, [], null, { keys: Array.from({ length: 101 }, () => key) }])
      assert.strictEqual(await finds(set), "failed")
  })

  it("refuses an address that discovery may not name", async () => {
    for (const document of [
      { issuer, jwks_uri: "http://169.254.169.254/keys" },
      { issuer: "https://other.example.com", jwks_uri: `${issuer}/keys` },
      { issuer }
    ]) {
      const found = fetchIssuerKeys(
        answering({ [`${issuer}/.well-known/openid-configuration`]: document, [`${issuer}/keys`]: { keys: [key] } }),
        { issuer, jwks_uri: null }
      )
      assert.strictEqual((await Effect.runPromiseExit(found))._tag, "Failure")
    }
  })
})
