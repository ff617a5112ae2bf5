import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { bodyWorkspaceCases } from "../http/bodyWorkspaceCases.ts"
import { type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"

const callback_url = "http://localhost:3000/callback"
const body = { callback_url }
const s256 = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const challenged = { callback_url, code_challenge: s256, code_challenge_method: "S256" }

const create = (world: World, fields: object = {}) =>
  world.call("createAuthorizationCode", { body: { ...body, ...fields } })
const bad = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  refused("createAuthorizationCode", name, { body: { ...body, ...fields } }, { path, reason })
const good = (name: string, fields: (world: World) => Record<string, unknown>) => ({
  name,
  status: 200,
  run: (world: World) => create(world, fields(world))
})
const badUrl = (url: unknown, name = String(url)) =>
  bad(`callback_url: ${name}`, { callback_url: url }, "callback_url", "invalid_callback_url")
const badChallenge = (name: string, fields: Record<string, unknown>) =>
  bad(name, fields, "code_challenge", "invalid_code_challenge")

/** Answers 200 where the second creation after `between` is let through. */
const again = (
  name: string,
  status: 200 | 409,
  between: (world: World, first: Answer) => unknown,
  second = challenged
) => ({
  name,
  status,
  run: async (world: World) => {
    const first = await create(world, challenged)
    assert.strictEqual(first.status, 200)
    await between(world, first)
    return create(world, second)
  },
  check: ({ status: answered, json }: Answer) => {
    if (answered === 409) assert.strictEqual(json.error.metadata.reason, "authorization_code_exists")
  }
})

const exchange = (world: World, first: Answer, code_verifier: string) =>
  world.call("exchangeAuthorizationCode", { body: { code: first.json.data.id, code_verifier } })

const at = (world: World, offset: number) => new Date(world.installation.clock.now + offset).toISOString()

export const createAuthorizationCode: CasesOf = {
  operation: "createAuthorizationCode",
  cases: [
    {
      name: "a callback URL alone",
      status: 200,
      run: (world) => create(world),
      check: ({ json: { data } }, world) => {
        assert.hasAllKeys(data, ["id", "app_id", "created_at"])
        assert.match(data.id, /^[A-Za-z0-9_-]{43}$/)
        assert.strictEqual(data.app_id, 1)
        assert.strictEqual(data.created_at, at(world, 0))
      }
    },
    {
      name: "200 to the public client too",
      status: 200,
      run: (world) => world.call("createAuthorizationCode", { body, headers: { "user-agent": "speakeasy-sdk/x" } })
    },
    {
      name: "apps are numbered by origin, from 1 in each account",
      status: 200,
      run: async (world) => {
        const urls = [
          "https://a.example/x",
          "https://b.example",
          "https://A.example:443/y?z",
          "https://a.example:444",
          "http://localhost:1",
          "http://127.0.0.1:1",
          "https://b.example/again"
        ]
        const ids: number[] = []
        for (const url of urls) ids.push((await create(world, { callback_url: url })).json.data.app_id)
        assert.deepEqual(ids, [1, 2, 1, 3, 4, 5, 2])
        return create(await world.other(), { callback_url: "https://b.example" })
      },
      check: ({ json }) => assert.strictEqual(json.data.app_id, 1)
    },
    {
      name: "64 origins at once get the numbers 1 to 64",
      status: 200,
      run: async (world) => {
        const answers = await Promise.all(
          Array.from({ length: 64 }, (_, index) => create(world, { callback_url: `https://app-${index}.example` }))
        )
        const ids = answers.map(({ json }) => Number(json.data.app_id)).sort((a, b) => a - b)
        assert.deepEqual(
          ids,
          Array.from({ length: 64 }, (_, index) => index + 1)
        )
        return answers[0] ?? assert.fail()
      }
    },
    {
      name: "64 at once with one challenge: one is made",
      status: 200,
      run: async (world) => {
        const answers = await Promise.all(Array.from({ length: 64 }, () => create(world, challenged)))
        const made = answers.filter(({ status }) => status === 200)
        assert.lengthOf(made, 1)
        assert.lengthOf(
          answers.filter(({ status }) => status === 409),
          63
        )
        return made[0] ?? assert.fail()
      }
    },
    {
      name: "without a challenge any number lives",
      status: 200,
      run: async (world) => {
        const first = await create(world)
        const second = await create(world)
        assert.notStrictEqual(first.json.data.id, second.json.data.id)
        return second
      }
    },
    again("the same challenge and origin", 409, () => undefined),
    again("another path, method and workspace: still the same challenge and origin", 409, () => undefined, {
      ...challenged,
      callback_url: "HTTP://LOCALHOST:3000/elsewhere?a=b",
      code_challenge_method: "plain"
    }),
    again("the same challenge a millisecond before the code dies", 409, (world) => {
      world.installation.clock.now += 599_999
    }),
    again("the same challenge once the code is dead", 200, (world) => {
      world.installation.clock.now += 600_000
    }),
    again("the same challenge once the code is spent", 200, (world, first) =>
      exchange(world, first, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    ),
    again("the same challenge once the code is burnt", 200, (world, first) => exchange(world, first, "wrong")),
    again("the same challenge for another origin", 200, () => undefined, {
      ...challenged,
      callback_url: "http://localhost:3001/callback"
    }),
    again("another challenge", 200, () => undefined, {
      ...challenged,
      code_challenge: s256.toLowerCase()
    }),
    {
      name: "the same challenge in another account",
      status: 200,
      run: async (world) => {
        await create(world, challenged)
        return create(await world.other(), challenged)
      }
    },
    ...managementOnly("createAuthorizationCode", () => ({ body })),

    ...[
      "https://example.com",
      "HTTPS://Example.COM:65535/?q#".slice(0, -1),
      "http://localhost",
      "http://127.0.0.1:8/x",
      `https://example.com/${"x".repeat(2048 - 20)}`
    ].map((url) => good(`callback_url: ${url.slice(0, 40)}`, () => ({ callback_url: url }))),
    bad("no callback_url", { callback_url: undefined }, "callback_url"),
    bad("callback_url: null", { callback_url: null }, "callback_url"),
    ...[
      "",
      "example.com",
      "http://example.com",
      "http://localhost.example.com",
      "http://127.0.0.2",
      "http://[::1]/",
      "ftp://localhost",
      "javascript:alert(1)",
      "https:/example.com",
      "https://user@example.com",
      "https://localhost#x",
      "https://example.com.",
      "https://example.com:65536",
      "https://exa mple.com",
      "https://éxample.com",
      "https://0x7f.1",
      "https://"
    ].map((url) => badUrl(url)),
    badUrl(`https://example.com/${"x".repeat(2048 - 19)}`, "2,049 characters"),

    good("an S256 challenge", () => ({ code_challenge: s256, code_challenge_method: "S256" })),
    good("a plain challenge of 43 characters, without a method", () => ({ code_challenge: "~".repeat(43) })),
    good("a plain challenge of 128 characters", () => ({
      code_challenge: "a".repeat(128),
      code_challenge_method: "plain"
    })),
    badChallenge("a method without a challenge", { code_challenge_method: "S256" }),
    badChallenge("an empty challenge", { code_challenge: "" }),
    badChallenge("42 characters", { code_challenge: "a".repeat(42) }),
    badChallenge("129 characters", { code_challenge: "a".repeat(129) }),
    badChallenge("a plain challenge with a reserved character", { code_challenge: `${"a".repeat(43)}+` }),
    badChallenge("an S256 challenge of 42", { ...challenged, code_challenge: s256.slice(1) }),
    badChallenge("an S256 challenge of 44", { ...challenged, code_challenge: `${s256}A` }),
    badChallenge("an S256 challenge with padding", { ...challenged, code_challenge: `${s256}=` }),
    badChallenge("an S256 challenge with a tilde", { ...challenged, code_challenge: `~${s256.slice(1)}` }),
    bad("an unknown method", { ...challenged, code_challenge_method: "s256" }, "code_challenge_method"),
    bad("a challenge of null", { code_challenge: null }, "code_challenge"),
    bad("a method of null", { code_challenge: s256, code_challenge_method: null }, "code_challenge_method"),
    bad("a challenge that is no string", { code_challenge: 1 }, "code_challenge"),

    good("limit 0", () => ({ limit: 0 })),
    good("limit with nine decimals", () => ({ limit: 0.000000001 })),
    bad("a negative limit", { limit: -0.01 }, "limit"),
    bad("a limit of ten decimals", { limit: 0.0000000001 }, "limit"),
    bad("a limit above 1e9", { limit: 1_000_000_001 }, "limit"),
    bad("a limit of null, which NaN is in JSON", { limit: null }, "limit"),
    bad("a limit in quotes", { limit: "5" }, "limit"),
    bad("an unknown interval", { usage_limit_type: "yearly" }, "usage_limit_type"),
    good("an interval without a limit", () => ({ usage_limit_type: "weekly" })),

    good("expires_at null", () => ({ expires_at: null })),
    good("expires_at a millisecond ahead", (world) => ({ expires_at: at(world, 1) })),
    good("expires_at with nine fractional digits", () => ({ expires_at: "2099-12-31T23:59:59.123456789Z" })),
    {
      name: "expires_at now",
      status: 400,
      run: (world) => create(world, { expires_at: at(world, 0) }),
      check: ({ json }) => assert.deepInclude(json.error.metadata.issues[0], { path: "expires_at", code: "past" })
    },
    ...[
      "2099-01-01T00:00Z",
      "2099-01-01T00:00:00",
      "2099-01-01T00:00:00+0000",
      "2099-01-01T00:00:00z",
      "2099-02-29T00:00:00Z",
      "2099-01-01T24:00:00Z",
      "2099-01-01T00:00:60Z",
      "2099-01-01T00:00:00.1234567890Z",
      "2099-01-01 00:00:00Z",
      "2099-01-01",
      "",
      "2020-01-01T00:00:00Z"
    ].map((instant) => bad(`expires_at: ${instant}`, { expires_at: instant }, "expires_at")),
    bad("expires_at: a number", { expires_at: 4_070_908_800_000 }, "expires_at"),

    good("a label of 100 characters", () => ({ key_label: "😀".repeat(100) })),
    bad("a label of 101 characters", { key_label: "l".repeat(101) }, "key_label"),
    good("spawn telemetry", () => ({ spawn_agent: "a".repeat(200), spawn_cloud: "" })),
    bad("an agent of 201 characters", { spawn_agent: "a".repeat(201) }, "spawn_agent"),
    bad("a cloud of 201 characters", { spawn_cloud: "a".repeat(201) }, "spawn_cloud"),

    good("a named workspace, in capitals", (world) => ({ workspace_id: world.workspace_id.toUpperCase() })),
    good("a workspace of null", () => ({ workspace_id: null })),
    ...bodyWorkspaceCases("createAuthorizationCode", body),
    {
      name: "an idempotent repetition is the same code, and no conflict",
      status: 200,
      run: async (world) => {
        const call = { body: challenged, headers: { "idempotency-key": "once" } }
        const first = await world.call("createAuthorizationCode", call)
        const second = await world.call("createAuthorizationCode", call)
        assert.strictEqual(second.text, first.text)
        return second
      }
    },
    storeGone("AuthorizationCodes", 500, (world) => create(world))
  ]
}
