/** What the cases of federation policies and token exchanges share. */
import type { Answer, World } from "../World.ts"
import { issuer, signToken, type SigningKeyName } from "./tokenIssuers.ts"

export const audience = "gatewarden"
export const subject = "repo:acme/evals:ref:refs/heads/main"

export const policyBody = { name: "Evaluation", issuer, audience, subject: "repo:acme/*:ref:refs/heads/main" }

export const newPolicy = async (world: World, fields: object = {}): Promise<Answer["json"]> => {
  const made = await world.call("createFederationPolicy", { body: { ...policyBody, ...fields } })
  if (made.status !== 200) throw new Error(made.text)
  return made.json.data
}

let tokens = 0

/** Claims that the policy accepts, of a token that was never used. */
export const goodClaims = (world: World) => {
  const seconds = Math.floor(world.installation.clock.now / 1000)
  return {
    iss: issuer,
    aud: audience,
    sub: subject,
    iat: seconds,
    nbf: seconds,
    exp: seconds + 3600,
    jti: `t-${++tokens}`
  }
}

/** Claims with some of them replaced; undefined leaves one out. */
export const goodToken = (world: World, claims: object = {}, key: SigningKeyName = "ec"): string =>
  signToken({ ...goodClaims(world), ...claims }, key)

export const exchangeBody = (federation_policy_id: string, subject_token: string) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token,
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  federation_policy_id
})

/** As OAuth clients send it. */
export const exchange = (world: World, policy_id: string, token: string, fields: object = {}) =>
  world.call("exchangeToken", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...exchangeBody(policy_id, token), ...fields }).toString()
  })
