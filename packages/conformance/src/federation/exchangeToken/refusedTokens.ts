/** Tokens that the policy, or the server, refuses. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { exchange, goodClaims, goodToken, newPolicy } from "../federationCases.ts"
import { publiclySignedToken, signToken, unsignedToken } from "../tokenIssuers.ts"
import { bad, badClaims, errorIs, keys, nobody, seconds } from "./tokenCases.ts"

export const refusedTokens: readonly Case[] = [
  bad("no JWT", () => "x"),
  bad("no signature", (world) => unsignedToken(goodClaims(world))),
  bad("a signature with the public key as a secret", (world) => publiclySignedToken(goodClaims(world))),
  bad("a signature of somebody else", (world) => goodToken(world, {}, "stranger")),
  bad("a signature of other claims", (world) => {
    const [header, , signature] = goodToken(world).split(".")
    return `${header}.${goodToken(world, { sub: "repo:acme/x:ref:refs/heads/main" }).split(".")[1]}.${signature}`
  }),
  bad("a key that the token brings itself", (world) =>
    signToken(goodClaims(world), "stranger", { kid: "own", jwk: { kty: "EC" }, jku: "https://evil.example.com/keys" })
  ),
  bad("an extension that nobody understands", (world) => signToken(goodClaims(world), "ec", { crit: ["x"], x: 1 })),
  badClaims("another issuer", () => ({ iss: "https://evil.example.com" })),
  badClaims("another audience", () => ({ aud: "other" })),
  badClaims("no audience", () => ({ aud: undefined })),
  badClaims("no expiry", () => ({ exp: undefined })),
  badClaims("an expiry that is no number", () => ({ exp: "9999999999" })),
  badClaims("expired now", (world) => ({ exp: seconds(world, 0) })),
  badClaims("a life of more than a day", (world) => ({ exp: seconds(world, 86_401) })),
  badClaims("not valid yet", (world) => ({ nbf: seconds(world, 61) })),
  badClaims("issued in the future", (world) => ({ iat: seconds(world, 61) })),
  badClaims("no subject", () => ({ sub: undefined })),
  badClaims("a subject that no store keeps", () => ({ sub: "repo:acme/\0:ref:refs/heads/main" })),
  badClaims("half a character as a subject", () => ({ sub: "repo:acme/\ud800:ref:refs/heads/main" })),
  badClaims("a subject too long", () => ({ sub: `repo:acme/${"x".repeat(300)}:ref:refs/heads/main` })),
  {
    name: "the longest subject, of characters that have two code units each",
    status: 200,
    run: async (world) => {
      const [head, tail] = ["repo:acme/", ":ref:refs/heads/main"]
      const longest = head + "\u{1f600}".repeat(256 - head.length - tail.length) + tail
      return exchange(world, (await newPolicy(world)).id, goodToken(world, { sub: longest }))
    }
  },
  badClaims("another subject", () => ({ sub: "repo:other/evals:ref:refs/heads/main" })),
  badClaims("a claim that differs", () => ({ owner: "acme2" }), { claims: [{ claim: "owner", pattern: "acme" }] }),
  ...([2 ** 53, -(2 ** 53), 0.5] as const).map((owner) =>
    badClaims(`the number ${owner}, which reading may have rounded`, () => ({ owner, tenant: "acme" }), {
      claims: [
        { claim: "tenant", pattern: "acme" },
        { claim: "owner", pattern: String(owner) }
      ]
    })
  ),
  badClaims("a claim that is missing", () => ({}), { claims: [{ claim: "owner", pattern: "*" }] }),
  badClaims("a claim of no own", () => ({}), { claims: [{ claim: "constructor", pattern: "*" }] }),
  bad("a policy that is disabled", (world) => goodToken(world), { disabled: true }),
  ...[{ jti: "once" }, { jti: undefined }].map((claims): Case => ({
    name: `a token that was used, ${JSON.stringify(claims)}, at another policy of the account, too`,
    status: 400,
    run: async (world) => {
      const [first, second] = [await newPolicy(world), await newPolicy(world)]
      const token = goodToken(world, claims)
      assert.strictEqual((await exchange(world, first.id, token)).status, 200)
      assert.strictEqual((await exchange(world, second.id, token)).status, 400)
      const answer = await exchange(world, first.id, token)
      assert.lengthOf(await keys(world), 1)
      return answer
    },
    check: errorIs("invalid_grant")
  })),
  {
    name: "of many uses at once one succeeds",
    status: 400,
    run: async (world) => {
      const policy = await newPolicy(world)
      const token = goodToken(world)
      const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(world, policy.id, token)))
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      return answers.find(({ status }) => status !== 200) ?? assert.fail()
    },
    check: errorIs("invalid_grant")
  },
  {
    name: "a policy that was deleted, like one that never was",
    status: 400,
    run: async (world) => {
      const policy = await newPolicy(world)
      await world.call("deleteFederationPolicy", { params: { id: policy.id } })
      const answer = await exchange(world, policy.id, goodToken(world))
      assert.strictEqual(answer.text, (await exchange(world, nobody, goodToken(world))).text)
      return answer
    },
    check: errorIs("invalid_grant")
  },
  {
    name: "a policy of a workspace that was deleted",
    status: 400,
    run: async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
      const policy = await newPolicy(world, { workspace_id: made.json.data.id })
      await world.call("deleteWorkspace", { params: { id: "gone" } })
      return exchange(world, policy.id, goodToken(world))
    },
    check: errorIs("invalid_grant")
  }
]
