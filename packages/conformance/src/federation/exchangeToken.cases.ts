import { assert } from "@effect/vitest"
import { exchangesOf, exchangesPerMinute, explainedAtOnce, RequestCounts } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { type Case, type CasesOf, outcomeUnknown, storeGone } from "../http/Case.ts"
import { audience, exchange, exchangeBody, goodClaims, goodToken, newPolicy, subject } from "./federationCases.ts"
import { issuer, keySet, signToken } from "./tokenIssuers.ts"
import {
  currentKey,
  errorIs,
  good,
  keys,
  later,
  malformed,
  minute,
  nobody,
  seconds,
  sweep,
  unavailable
} from "./exchangeToken/tokenCases.ts"
import { refusedTokens } from "./exchangeToken/refusedTokens.ts"

const accepted: readonly Case[] = [
  {
    name: "a key of the policy's workspace, with its limit, which ends by itself",
    status: 200,
    run: async (world) => {
      const workspace = await world.call("createWorkspace", { body: { name: "Jobs", slug: "jobs" } })
      const workspace_id = workspace.json.data.id
      const policy = await newPolicy(world, { workspace_id, limit: 2.5, user_id: "robot", lifetime_seconds: 600 })
      const answer = await exchange(world, policy.id, goodToken(world))
      assert.deepEqual(
        { ...answer.json, access_token: "" },
        {
          access_token: "",
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
          token_type: "Bearer",
          expires_in: 600,
          scope: "inference"
        }
      )
      const key = await currentKey(world, answer)
      assert.deepInclude(key.json.data, {
        workspace_id,
        limit: 2.5,
        limit_remaining: 2.5,
        creator_user_id: "robot",
        is_management_key: false,
        expires_at: new Date(world.installation.clock.now + 600_000).toISOString()
      })
      const [listed] = (await world.call("listKeys", { query: { workspace_id } })).json.data
      assert.deepInclude(listed, { name: policy.name, external_user: subject })
      later(world, 600_000)
      assert.strictEqual((await currentKey(world, answer)).status, 401)
      return answer
    },
    check: ({ json }) => assert.match(json.access_token, /^gw-v1-[0-9A-Za-z]{49}$/)
  },
  {
    name: "a key never outlives its token",
    status: 200,
    run: async (world) => {
      const policy = await newPolicy(world)
      return exchange(world, policy.id, goodToken(world, { exp: seconds(world, 90) }))
    },
    check: ({ json }) => assert.strictEqual(json.expires_in, 90)
  },
  {
    name: "JSON in place of a form, and an id token",
    status: 200,
    run: async (world) => {
      const body = exchangeBody((await newPolicy(world)).id, goodToken(world))
      const subject_token_type = "urn:ietf:params:oauth:token-type:id_token"
      return world.call("exchangeToken", { body: { ...body, subject_token_type, scope: "inference" } })
    }
  },
  {
    name: "empty fields of a form are absent, unknown ones ignored, and credentials not looked at",
    status: 200,
    run: async (world) => {
      const body = exchangeBody((await newPolicy(world)).id, goodToken(world))
      return world.call("exchangeToken", {
        key: "nobody-made-this-key",
        headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
        body: new URLSearchParams({ ...body, scope: "", requested_token_type: "", resource: "x" }).toString()
      })
    }
  },
  ...(["ec", "rsa", "pss", "ed"] as const).map((name): Case => ({
    name: `signed with ${name}, keys at an address of the policy`,
    status: 200,
    run: async (world) => {
      const policy = await newPolicy(world, { jwks_uri: keySet })
      return exchange(world, policy.id, goodToken(world, {}, name))
    }
  })),
  good("one of several audiences", () => ({ aud: ["other", audience] })),
  good("claims that match, of a list, a number and a truth", () => ({ groups: ["a", "b-1"], owner: 4711, ok: true }), {
    claims: [
      { claim: "groups", pattern: "b-*" },
      { claim: "owner", pattern: "4711" },
      { claim: "ok", pattern: "true" }
    ]
  }),
  good("any subject, where a claim says enough", () => ({ sub: "anything", tenant: "acme" }), {
    subject: "*",
    claims: [{ claim: "tenant", pattern: "acme" }]
  }),
  good("clocks that differ by a minute", (world) => ({ nbf: seconds(world, 60), iat: seconds(world, 60) })),
  good("a token without id and times but its expiry", () => ({ jti: undefined, iat: undefined, nbf: undefined })),
  {
    name: "a token may be used again where the policy says so, each time for another key",
    status: 200,
    run: async (world) => {
      const policy = await newPolicy(world, { allow_reuse: true })
      const token = goodToken(world)
      const first = await exchange(world, policy.id, token)
      const second = await exchange(world, policy.id, token)
      assert.notStrictEqual(first.json.access_token, second.json.access_token)
      assert.strictEqual((await currentKey(world, first)).status, 200)
      return second
    }
  },
  {
    name: "what has ended is swept: first the key, then the use",
    status: 200,
    run: async (world) => {
      const policy = await newPolicy(world, { lifetime_seconds: 60 })
      const token = goodToken(world)
      const answer = await exchange(world, policy.id, token)
      // Uses of other cases may have ended, too.
      await sweep(world)
      assert.lengthOf(await keys(world), 1)
      later(world, minute + 1)
      assert.isAbove(await sweep(world), 0)
      assert.deepEqual(await keys(world), [])
      // The token lives on, and stays used.
      assert.strictEqual((await exchange(world, policy.id, token)).status, 400)
      later(world, 120 * minute)
      assert.isAbove(await sweep(world), 0)
      return answer
    }
  },
  {
    name: "a token that was swept when it had expired is still used for a server whose clock is behind",
    status: 400,
    run: async (world) => {
      const policy = await newPolicy(world, { lifetime_seconds: 60 })
      const token = goodToken(world, { exp: seconds(world, 120) })
      assert.strictEqual((await exchange(world, policy.id, token)).status, 200)
      later(world, 30 * minute)
      await sweep(world)
      later(world, -29 * minute)
      return exchange(world, policy.id, token)
    },
    check: ({ json }) => assert.include(json.error_description, "used before")
  },
  {
    name: "a key that the issuer has begun to sign with is fetched",
    status: 200,
    run: async (world) => {
      const policy = await newPolicy(world, { jwks_uri: `${keySet}?rotated` })
      const { issuers } = world.installation
      const fetch = issuers.fetch
      issuers.mend()
      Object.assign(issuers, { fetch: ((_, init) => fetch(keySet, init)) satisfies typeof fetch })
      try {
        assert.strictEqual((await exchange(world, policy.id, goodToken(world))).status, 200)
        issuers.keys = ["next"]
        const token = goodToken(world, {}, "next")
        // Not at once, or everybody could make this server ask the issuer again and again.
        assert.strictEqual((await exchange(world, policy.id, token)).status, 400)
        assert.strictEqual(issuers.asked.get(keySet), 1)
        later(world, 31_000)
        return await exchange(world, policy.id, token)
      } finally {
        Object.assign(issuers, { fetch })
        issuers.mend()
      }
    }
  },
  {
    name: "keys that are known count for an hour while the issuer is down",
    status: 200,
    run: async (world) => {
      const { issuers } = world.installation
      const policy = await newPolicy(world)
      assert.strictEqual((await exchange(world, policy.id, goodToken(world))).status, 200)
      issuers.fault = "down"
      try {
        later(world, 50 * minute)
        const answer = await exchange(world, policy.id, goodToken(world))
        later(world, 61 * minute)
        assert.strictEqual((await exchange(world, policy.id, goodToken(world))).status, 503)
        return answer
      } finally {
        issuers.mend()
        later(world, minute)
      }
    }
  }
]

export const exchangeToken: CasesOf = {
  operation: "exchangeToken",
  cases: [
    ...accepted,
    ...refusedTokens,
    malformed("another grant", "unsupported_grant_type", { grant_type: "client_credentials" }),
    malformed("another scope", "invalid_scope", { scope: "admin" }),
    malformed("no token", "invalid_request", { subject_token: undefined }),
    malformed("a token too long", "invalid_request", { subject_token: "x".repeat(16_385) }),
    malformed("another type of token", "invalid_request", {
      subject_token_type: "urn:ietf:params:oauth:token-type:saml2"
    }),
    malformed("another type requested", "invalid_request", {
      requested_token_type: "urn:ietf:params:oauth:token-type:jwt"
    }),
    malformed("a malformed policy", "invalid_request", { federation_policy_id: "x" }),
    {
      name: "a field twice",
      status: 400,
      run: async (world) => {
        const body = new URLSearchParams(exchangeBody((await newPolicy(world)).id, goodToken(world)))
        body.append("subject_token", goodToken(world))
        return world.call("exchangeToken", {
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: body.toString()
        })
      },
      check: errorIs("invalid_request")
    },
    {
      name: "a type of body that is neither",
      status: 415,
      run: (world) => world.call("exchangeToken", { headers: { "content-type": "text/plain" }, body: "x" }),
      check: errorIs("invalid_request")
    },
    {
      name: "more than a policy may in a minute",
      status: 429,
      run: async (world) => {
        const policy = await newPolicy(world)
        const quota = { bucket: exchangesOf(policy.id), limit: exchangesPerMinute } as const
        await world.installation.run(
          Effect.flatMap(RequestCounts, (counts) =>
            Effect.forEach(Array.from({ length: exchangesPerMinute }), () =>
              counts.consume([{ ...quota, window: { kind: "sliding", millis: minute } }])
            )
          )
        )
        return exchange(world, policy.id, goodToken(world))
      },
      check: (answer) => {
        errorIs("temporarily_unavailable")(answer)
        assert.isNotNull(answer.headers.get("retry-after"))
      }
    },
    {
      name: "a flood of tokens that are refused takes nothing from those that are accepted, and asks the issuer no more",
      status: 200,
      run: async (world) => {
        const policy = await newPolicy(world, { jwks_uri: `${keySet}?flood` })
        const { issuers } = world.installation
        const fetch = issuers.fetch
        issuers.mend()
        Object.assign(issuers, { fetch: ((_, init) => fetch(keySet, init)) satisfies typeof fetch })
        const floods = [
          () => "x",
          () => goodToken(world, { sub: "repo:other/evals:ref:refs/heads/main" }, "stranger"),
          () => goodToken(world, { exp: seconds(world, 0) }, "stranger"),
          () => goodToken(world, {}, "stranger"),
          (number: number) => signToken(goodClaims(world), "stranger", { kid: `unknown-${number}` })
        ]
        const junk = floods.flatMap((flood) => Array.from({ length: 32 }, (_, number) => flood(number)))
        try {
          // Later than the issuer may be asked for new keys once more.
          await exchange(world, policy.id, goodToken(world))
          later(world, 31_000)
          for (let round = 0; round < 5; round++) {
            const flood = junk.map((token) => exchange(world, policy.id, token))
            const good = Array.from({ length: 8 }, () => exchange(world, policy.id, goodToken(world)))
            for (const { status } of await Promise.all(good)) assert.strictEqual(status, 200)
            for (const { status } of await Promise.all(flood)) assert.strictEqual(status, 400)
          }
          assert.strictEqual(issuers.asked.get(keySet), 2)
          return await exchange(world, policy.id, goodToken(world))
        } finally {
          Object.assign(issuers, { fetch })
          issuers.mend()
        }
      }
    },
    {
      name: "who holds a token of the issuer is told that its claims do not meet the policy, but not any number of times",
      status: 400,
      run: async (world) => {
        const policy = await newPolicy(world)
        const other = { sub: "repo:other/evals:ref:refs/heads/main" }
        const told = await exchange(world, policy.id, goodToken(world, other))
        const stranger = await exchange(world, policy.id, goodToken(world, other, "stranger"))
        assert.notStrictEqual(stranger.json.error_description, told.json.error_description)
        for (let asked = 2; asked < explainedAtOnce; asked++) await exchange(world, policy.id, goodToken(world, other))
        const untold = await exchange(world, policy.id, goodToken(world, other))
        assert.strictEqual(untold.json.error_description, stranger.json.error_description)
        later(world, 1_000)
        return exchange(world, policy.id, goodToken(world, other))
      },
      check: ({ json }) => assert.include(json.error_description, "do not meet the policy")
    },
    ...(["down", "broken", "large", "redirect"] as const).map((fault) => unavailable(fault)),
    {
      name: "a discovery document of another issuer",
      status: 503,
      run: async (world) => {
        const policy = await newPolicy(world, { issuer: `${issuer}/other` })
        return exchange(world, policy.id, goodToken(world, { iss: `${issuer}/other` }))
      },
      check: errorIs("temporarily_unavailable")
    },
    {
      ...storeGone("FederationPolicies", 503, (world) => exchange(world, nobody, goodToken(world))),
      check: errorIs("temporarily_unavailable")
    },
    outcomeUnknownExchange()
  ]
}

function outcomeUnknownExchange(): Case {
  const { check: _, ...unknown } = outcomeUnknown("FederationPolicies", (world) =>
    exchange(world, nobody, goodToken(world))
  )
  return { ...unknown, check: errorIs("server_error") }
}
