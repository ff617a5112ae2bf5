/** What tokens cost that are verified only to explain why they are refused. Rule: authorization#token-exchange. */
import { createGatewarden, memory } from "@gatewarden/core"
import { assert, describe, it, vi } from "@effect/vitest"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const managementKey = "explained-tokens-management-key-0123456789"
const issuer = "https://issuer.example.com"

const pairs = {
  // The keys of the flood, by which its verifications are told from others.
  ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" })
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

let tokens = 0

const tokenOf = (alg: keyof typeof pairs, sub: string): string => {
  const exp = Math.floor(Date.now() / 1000) + 600
  const signed = `${encoded({ alg })}.${encoded({ iss: issuer, aud: "a", sub, exp, jti: `${++tokens}` })}`
  const key: { key: KeyObject; dsaEncoding: "ieee-p1363" } = {
    key: pairs[alg].privateKey,
    dsaEncoding: "ieee-p1363"
  }
  return `${signed}.${sign(alg === "ES384" ? "sha384" : "sha256", Buffer.from(signed), key).toString("base64url")}`
}

describe("tokens that are verified to explain why they are refused", () => {
  it("are few at once, however many policies an account has", async () => {
    const gatewarden = await createGatewarden({
      store: memory(),
      managementKey,
      fetch: async () =>
        Response.json({
          keys: Object.entries(pairs).map(([alg, { publicKey }]) => ({ ...publicKey.export({ format: "jwk" }), alg }))
        })
    })
    const post = async (key: string, path: string, body: object) => {
      const response = await gatewarden.fetch(
        new Request(`http://localhost/api/v1${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
      return { status: response.status, json: await response.json() }
    }
    const newPolicy = async (key: string): Promise<string> => {
      const body = { name: "p", issuer, audience: "a", subject: "repo:acme/*", jwks_uri: `${issuer}/keys` }
      return (await post(key, "/gateway/federation-policies", body)).json.data.id
    }
    const exchange = (federation_policy_id: string, subject_token: string) =>
      post("", "/oauth/token", {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token,
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        federation_policy_id
      })

    let open = (): void => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    let running = 0
    let most = 0
    const { subtle } = globalThis.crypto
    const verify = subtle.verify.bind(subtle)
    const held = vi.spyOn(subtle, "verify").mockImplementation(async (algorithm, key, signature, data) => {
      if (key.algorithm.name === "ECDSA" && "namedCurve" in key.algorithm && key.algorithm.namedCurve === "P-384") {
        most = Math.max(most, ++running)
        await opened
        running--
      }
      return verify(algorithm, key, signature, data)
    })
    try {
      const other = (await gatewarden.createAccount("other"))?.managementKey ?? assert.fail()
      const ofOther = await newPolicy(other)
      const policies = await Promise.all(Array.from({ length: 15 }, () => newPolicy(managementKey)))
      const flood = policies.flatMap((policy) =>
        Array.from({ length: 20 }, () => exchange(policy, tokenOf("ES384", "repo:evil/x")))
      )
      assert.strictEqual((await exchange(ofOther, tokenOf("ES256", "repo:acme/x"))).status, 200)
      open()
      const answers = await Promise.all(flood)
      assert.isTrue(answers.every(({ status }) => status === 400))
      const isExplained = ({ json }: { json: { error_description: string } }) =>
        json.error_description.includes("do not meet the policy")
      assert.isAtLeast(answers.filter(isExplained).length, 20)
      assert.strictEqual(most, 1)
    } finally {
      open()
      held.mockRestore()
      await gatewarden.close()
    }
  })
})
