import { assert, describe, it } from "@effect/vitest"
import { createGatewarden, type GatewardenOptions, memory } from "../../core/src/index.ts"

const managementKey = "a-management-key-of-the-tests-000001"

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token whose claims meet the policy, with a signature of nobody. */
const unsigned = (): string => {
  const claims = {
    iss: "https://issuer.example.com",
    aud: "a",
    sub: "repo:acme/x",
    exp: Math.floor(Date.now() / 1000) + 600
  }
  return `${encoded({ alg: "ES256", kid: "a" })}.${encoded(claims)}.c2ln`
}

/** Has a token exchanged under a policy whose keys lie at `jwks_uri`; the status. */
const exchanged = async (options: Partial<GatewardenOptions>, jwks_uri: string): Promise<number> => {
  const gatewarden = await createGatewarden({ store: memory(), managementKey, ...options })
  try {
    const call = async (path: string, body: object) => {
      const response = await gatewarden.fetch(
        new Request(`http://localhost/api/v1${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
      return { status: response.status, json: await response.json() }
    }
    const policy = { name: "p", issuer: "https://issuer.example.com", audience: "a", subject: "repo:acme/*", jwks_uri }
    const { id } = (await call("/gateway/federation-policies", policy)).json.data
    const { status } = await call("/oauth/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: unsigned(),
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      federation_policy_id: id
    })
    return status
  } finally {
    await gatewarden.close()
  }
}

describe("the option fetch", () => {
  it("is what requests to addresses of clients go through", async () => {
    const asked: string[] = []
    const status = await exchanged(
      {
        fetch: async (url, { redirect }) => {
          asked.push(`${redirect} ${url}`)
          return Response.json({ keys: [] })
        }
      },
      "https://issuer.example.com/keys"
    )
    assert.deepEqual([status, asked], [400, ["manual https://issuer.example.com/keys"]])
  })

  it("must be a function", async () => {
    const options = { store: memory(), fetch: "fetch" } as unknown as GatewardenOptions
    const problem = await createGatewarden(options).then(
      () => "",
      (error: unknown) => String(error)
    )
    assert.match(problem, /fetch must be a function/)
  })

  it("is one that refuses private addresses where there is none", async () => {
    assert.strictEqual(await exchanged({}, "http://127.0.0.1:9/keys"), 503)
  })
})
