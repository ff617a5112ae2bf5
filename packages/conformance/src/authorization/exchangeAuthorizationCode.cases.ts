import { assert } from "@effect/vitest"
import { ApiKeys } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { Answer, World } from "../World.ts"
import { type Case, type CasesOf, reasonIs, refused, storeGone } from "../http/Case.ts"
import { sha256Base64url } from "../http/sha256.ts"

const callback_url = "http://localhost:3000/callback"
// RFC 7636, appendix B.
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const s256 = { code_challenge: challenge, code_challenge_method: "S256" }

const issue = async (world: World, fields: object = s256): Promise<string> => {
  const made = await world.call("createAuthorizationCode", { body: { callback_url, ...fields } })
  assert.strictEqual(made.status, 200, made.text)
  return made.json.data.id
}
const present = (world: World, code: string, fields: object = { code_verifier: verifier }) =>
  world.call("exchangeAuthorizationCode", { body: { code, ...fields } })
const later = (world: World, millis: number) => {
  world.installation.clock.now += millis
}
const currentKey = (world: World, answer: Answer) => world.call("getCurrentKey", { key: answer.json.key })

/** Beside the one that every world begins with. */
const keysMade = async (world: World): Promise<number> => {
  const list = Effect.flatMap(ApiKeys, (keys) => keys.list(world.account_id, { kind: "normal" }))
  return (await world.installation.run(list)).length - 1
}

const refusedAlike = (answer: Answer) => {
  assert.strictEqual(answer.json.error.message, "Invalid code or code_verifier")
  assert.strictEqual(answer.json.error.metadata.reason, "invalid_authorization_code")
  assert.deepEqual(answer.json.error.metadata.issues, [])
}

/** One presentation that is refused, and what the right one is answered afterwards. */
const refusing = (
  name: string,
  created: object,
  presented: object,
  afterwards: { readonly fields: object; readonly status: 200 | 403 }
): Case => ({
  name,
  status: 403,
  run: async (world) => {
    const code = await issue(world, created)
    const answer = await present(world, code, presented)
    assert.strictEqual((await present(world, code, afterwards.fields)).status, afterwards.status)
    return answer
  },
  check: refusedAlike
})
const right = { code_verifier: verifier }
const burnt = { fields: right, status: 403 } as const

const use = (world: World, exchanged: Answer) =>
  world.call("getWorkspace", { params: { id: "default" }, key: exchanged.json.key })

/** The code is exchanged, `millis` go by, it is presented again; then its key is looked at. */
const replay = (name: string, millis: number, keyStatus: 200 | 401, fields: object = right): Case => ({
  name,
  status: 403,
  run: async (world) => {
    const code = await issue(world)
    const exchanged = await present(world, code)
    later(world, millis)
    // The key is known to the cache when it is revoked.
    assert.strictEqual((await use(world, exchanged)).status, 200)
    const again = await present(world, code, fields)
    assert.strictEqual((await use(world, exchanged)).status, keyStatus)
    assert.strictEqual((await present(world, code)).status, 403)
    return again
  },
  check: refusedAlike
})

export const exchangeAuthorizationCode: CasesOf = {
  operation: "exchangeAuthorizationCode",
  cases: [
    {
      name: "a key as the code says, named by no data",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Apps", slug: "apps" } })
        const workspace_id = workspace.json.data.id
        const expires_at = new Date(world.installation.clock.now + 86_400_000).toISOString()
        const fields = { limit: 2.5, usage_limit_type: "weekly", expires_at, key_label: "CLI", workspace_id }
        const answer = await present(world, await issue(world, { ...s256, ...fields }))
        const key = await currentKey(world, answer)
        assert.deepInclude(key.json.data, {
          workspace_id,
          limit: 2.5,
          limit_remaining: 2.5,
          limit_reset: "weekly",
          expires_at,
          is_management_key: false
        })
        return answer
      },
      check: ({ json }) => {
        assert.hasAllKeys(json, ["key", "user_id"])
        assert.match(json.key, /^gw-v1-[0-9A-Za-z]{49}$/)
        assert.isNull(json.user_id)
      }
    },
    {
      name: "a key with every default, which is no management key",
      status: 200,
      run: async (world) => present(world, await issue(world, {}), {}),
      check: async (answer, world) => {
        assert.deepInclude((await currentKey(world, answer)).json.data, {
          workspace_id: world.workspace_id,
          limit: null,
          limit_remaining: null,
          limit_reset: null,
          include_byok_in_limit: false,
          expires_at: null,
          creator_user_id: null
        })
        const attempt = await world.call("createGuardrail", { key: answer.json.key, body: { name: "No" } })
        assert.strictEqual(attempt.status, 403)
      }
    },
    {
      name: "200 to the public client too",
      status: 200,
      run: async (world) =>
        world.call("exchangeAuthorizationCode", {
          body: { code: await issue(world, {}) },
          headers: { "user-agent": "speakeasy-sdk/x" }
        })
    },
    {
      name: "credentials are not looked at",
      status: 200,
      run: async (world) =>
        world.call("exchangeAuthorizationCode", { body: { code: await issue(world, {}) }, key: "nobody-made-this-key" })
    },
    ...[
      { ...right, code_challenge_method: "S256" },
      { ...right, code_challenge_method: null }
    ].map((fields): Case => ({
      name: `the method ${fields.code_challenge_method}, where it is S256`,
      status: 200,
      run: async (world) => present(world, await issue(world), fields)
    })),
    {
      name: "a plain challenge is its own verifier",
      status: 200,
      run: async (world) =>
        present(world, await issue(world, { code_challenge: verifier }), { ...right, code_challenge_method: "plain" })
    },
    {
      name: "a verifier of 128 characters",
      status: 200,
      run: async (world) => {
        const long = "~".repeat(128)
        const code_challenge = await sha256Base64url(long)
        return present(world, await issue(world, { ...s256, code_challenge }), { code_verifier: long })
      }
    },
    {
      name: "a millisecond before the code dies",
      status: 200,
      run: async (world) => {
        const code = await issue(world)
        later(world, 599_999)
        return present(world, code)
      }
    },
    ...[600_000, 600_001].map((millis): Case => ({
      name: `${millis} ms after the code was made`,
      status: 403,
      run: async (world) => {
        const code = await issue(world)
        later(world, millis)
        return present(world, code)
      },
      check: refusedAlike
    })),
    {
      name: "a code whose key would have expired already",
      status: 403,
      run: async (world) => {
        const expires_at = new Date(world.installation.clock.now + 1_000).toISOString()
        const code = await issue(world, { ...s256, expires_at })
        later(world, 1_000)
        return present(world, code)
      },
      check: refusedAlike
    },
    {
      name: "64 at once: one gets the key, and only one key is made",
      status: 200,
      run: async (world) => {
        const code = await issue(world)
        const answers = await Promise.all(Array.from({ length: 64 }, () => present(world, code)))
        const won = answers.filter(({ status }) => status === 200)
        assert.lengthOf(won, 1)
        assert.lengthOf(
          answers.filter(({ status }) => status === 403),
          63
        )
        return won[0] ?? assert.fail()
      },
      check: async (answer, world) => {
        assert.strictEqual((await currentKey(world, answer)).status, 200)
        assert.strictEqual(await keysMade(world), 1)
      }
    },
    {
      name: "no Idempotency-Key brings a key back",
      status: 403,
      run: async (world) => {
        const call = { body: { code: await issue(world, {}) }, headers: { "idempotency-key": "again" } }
        assert.strictEqual((await world.call("exchangeAuthorizationCode", call)).status, 200)
        return world.call("exchangeAuthorizationCode", call)
      },
      check: refusedAlike
    },
    ...["", "unknown", "A".repeat(43), "é", "A".repeat(100_000)].map((code): Case => ({
      name: `an unknown code of ${code.length} characters`,
      status: 403,
      run: (world) => present(world, code),
      check: refusedAlike
    })),
    {
      name: "whatever is wrong, the answer differs in nothing but the request id",
      status: 403,
      run: async (world) => {
        const exchange = (code: string, fields: object = right) =>
          world.call("exchangeAuthorizationCode", { body: { code, ...fields }, headers: { "x-request-id": "same" } })
        const unknown = await exchange("unknown")
        const spent = await issue(world)
        await exchange(spent)
        assert.strictEqual((await exchange(spent)).text, unknown.text)
        assert.strictEqual((await exchange(await issue(world), { code_verifier: "wrong" })).text, unknown.text)
        assert.strictEqual((await exchange(await issue(world, {}))).text, unknown.text)
        return unknown
      }
    },
    refusing("a wrong verifier burns the code", s256, { code_verifier: "a".repeat(43) }, burnt),
    refusing("a malformed verifier burns the code", s256, { code_verifier: "short" }, burnt),
    refusing("an empty verifier burns the code", s256, { code_verifier: "" }, burnt),
    refusing("the challenge itself is no verifier", s256, { code_verifier: challenge }, burnt),
    refusing("a missing verifier burns the code", s256, {}, burnt),
    refusing(
      "a wrong verifier and another method burn the code",
      s256,
      { code_verifier: "x", code_challenge_method: "plain" },
      burnt
    ),
    refusing("a missing verifier burns a plain code", { code_challenge: verifier }, {}, burnt),
    refusing(
      "a method that differs, which burns nothing",
      s256,
      { ...right, code_challenge_method: "plain" },
      { fields: right, status: 200 }
    ),
    refusing(
      "S256 where the code is plain",
      { code_challenge: verifier },
      { ...right, code_challenge_method: "S256" },
      { fields: right, status: 200 }
    ),
    refusing("a verifier without a challenge on the code", {}, right, { fields: {}, status: 200 }),
    refusing(
      "an empty verifier without a challenge on the code",
      {},
      { code_verifier: "" },
      { fields: {}, status: 200 }
    ),
    refusing(
      "a method without a challenge on the code",
      {},
      { code_challenge_method: "plain" },
      { fields: {}, status: 200 }
    ),
    replay("a retry at once leaves the key", 0, 200),
    replay("a retry after 30 s leaves the key", 30_000, 200),
    replay("presented again after more than 30 s, the key is revoked", 30_001, 401),
    replay("so it is when the code itself would be dead", 601_000, 401),
    replay("so it is without the verifier", 30_001, 401, {}),
    {
      name: "the workspace was deleted meanwhile, and no key is made",
      status: 403,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        const code = await issue(world, { ...s256, workspace_id: workspace.json.data.id })
        assert.strictEqual((await world.call("deleteWorkspace", { params: { id: "gone" } })).status, 200)
        return present(world, code)
      },
      check: async (answer, world) => {
        refusedAlike(answer)
        assert.strictEqual(await keysMade(world), 0)
      }
    },
    {
      name: "a key that was exchanged keeps its workspace",
      status: 400,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Kept", slug: "kept" } })
        await present(world, await issue(world, { ...s256, workspace_id: workspace.json.data.id }))
        return world.call("deleteWorkspace", { params: { id: "kept" } })
      },
      check: reasonIs("workspace_not_empty")
    },
    refused("exchangeAuthorizationCode", "no code", { body: { code_verifier: verifier } }, { path: "code" }),
    refused("exchangeAuthorizationCode", "a code of null", { body: { code: null } }, { path: "code" }),
    refused("exchangeAuthorizationCode", "a code that is no string", { body: { code: ["x"] } }, { path: "code" }),
    refused(
      "exchangeAuthorizationCode",
      "a verifier that is no string",
      { body: { code: "x", code_verifier: 1 } },
      { path: "code_verifier" }
    ),
    {
      name: "an unknown method, which does not touch the code",
      status: 400,
      run: async (world) => {
        const code = await issue(world)
        const answer = await present(world, code, { ...right, code_challenge_method: "S512" })
        assert.strictEqual((await present(world, code)).status, 200)
        return answer
      },
      check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "code_challenge_method")
    },
    { name: "no body", status: 400, run: (world) => world.send("POST", "/auth/keys", { key: null, body: "" }) },
    storeGone("AuthorizationCodes", 500, (world) => present(world, "unknown"))
  ]
}
