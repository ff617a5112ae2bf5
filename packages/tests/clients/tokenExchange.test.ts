/** The unmodified public client exchanges a workload's token, of an issuer that listens on this machine. Only its address is set. */
import { createClient, GatewardenError } from "@gatewarden/client"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { Effect, Exit, Scope } from "effect"
import {
  audience,
  exchangeBody,
  policyBody,
  subject
} from "@gatewarden/conformance/internal/federation/federationCases"
import { keySet, signToken, TokenIssuers } from "@gatewarden/conformance/internal/federation/tokenIssuers"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { listenOnLoopback } from "@gatewarden/conformance/internal/upstream/listenOnLoopback"

const scope = Scope.makeUnsafe()
const issuers = new TokenIssuers()
let server: ServerProcess
let issuer: string

const seconds = () => Math.floor(Date.now() / 1000)
const token = (claims: object = {}) =>
  signToken({ iss: issuer, aud: audience, sub: subject, exp: seconds() + 300, jti: crypto.randomUUID(), ...claims })

beforeAll(async () => {
  issuer = await Effect.runPromise(
    Scope.provide(
      listenOnLoopback((request, response) => {
        if (request.url !== "/keys") return void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }))
        const init = { method: "GET", headers: {}, redirect: "manual", signal: AbortSignal.timeout(1_000) } as const
        void issuers
          .fetch(keySet, init)
          .then((answer) => answer.text())
          .then((text) => response.end(text))
      }),
      scope
    )
  )
  server = await startServerProcess({ environment: { GATEWARDEN_ALLOW_PRIVATE_NETWORKS: "1" } })
})

afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const newPolicy = async (fields: object = {}): Promise<string> => {
  const manager = createClient({ baseUrl: server.url, key: managementKey })
  const { data } = await manager.createFederationPolicy({ body: { ...policyBody, issuer, ...fields } })
  return data.id
}

const publicClient = (apiKey: string) =>
  new OpenRouter({ apiKey, serverURL: server.url, retryConfig: { strategy: "none" } })

const exchange = (federationPolicyId: string, subjectToken: string) =>
  publicClient("none").oAuth.createOauthToken({
    tokenExchangeRequest: {
      federationPolicyId,
      subjectToken,
      grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
      subjectTokenType: "urn:ietf:params:oauth:token-type:jwt"
    }
  })

describe("the public client", () => {
  it("exchanges a token, and uses the key", async () => {
    const given = await exchange(await newPolicy({ limit: 3 }), token())
    assert.strictEqual(given.tokenType, "Bearer")
    assert.strictEqual(given.scope, "inference")
    assert.isAtMost(given.expiresIn, 300)
    const { data } = await publicClient(given.accessToken).apiKeys.getCurrentKeyMetadata()
    assert.strictEqual(data.limit, 3)
  })

  it("reads the signing keys, of which there are none", async () => {
    assert.deepEqual(await publicClient("none").oAuth.listOauthJwks(), { keys: [] })
  })

  it("reads why a token is refused", async () => {
    const refused = await exchange(await newPolicy(), token({ aud: "other" })).then(
      () => assert.fail("accepted"),
      (error: Error & { readonly statusCode: number; readonly error: string }) => error
    )
    assert.deepEqual([refused.name, refused.statusCode, refused.error], ["OAuthErrorResponse", 400, "invalid_grant"])
  })
})

describe("the typed client", () => {
  it("has the reason of an error of OAuth", async () => {
    const refused = await createClient({ baseUrl: server.url })
      .exchangeToken({
        body: {
          ...exchangeBody(await newPolicy({ disabled: true }), token()),
          subject_token_type: "urn:ietf:params:oauth:token-type:jwt"
        }
      })
      .then(
        () => assert.fail("accepted"),
        (error: GatewardenError) => error
      )
    assert.strictEqual(refused.reason, "invalid_grant")
    assert.strictEqual(refused.docUrl, `${server.url}/errors/invalid_grant`)
    assert.strictEqual((await fetch(refused.docUrl ?? "")).status, 200)
  })
})
