/** How the answers of platforms with APIs of their own are judged. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { renderers } from "../../core/src/delivery/renderBatch.ts"
import { secretsOf, withoutSecrets } from "../../core/src/delivery/sendRendered.ts"
import type { DeliveryVerdict, RenderedRequest } from "../../core/src/delivery/rendering/Renderer.ts"

const request = (events: readonly string[]): RenderedRequest => ({
  method: "POST",
  url: "https://platform.example",
  headers: Redacted.make({}),
  body: new Uint8Array(),
  events
})

const none = new Uint8Array()

type Case = readonly [status: number, body: string, kind: DeliveryVerdict["kind"], about?: RegExp]

const cases = {
  datadog: [
    [202, "", "accepted"],
    [400, '{"errors":["Bad Request"]}', "refused"],
    [403, '{"errors":["Forbidden"]}', "retry"],
    [413, "", "too_large"],
    [429, "", "retry"],
    [503, "", "retry"]
  ],
  posthog: [
    [200, '{"status":"Ok"}', "accepted"],
    [200, '{"status":1,"quota_limited":["events"]}', "retry", /quota/],
    [200, '{"status":1,"quota_limited":[]}', "accepted"],
    [200, "not JSON", "accepted"],
    [200, "null", "accepted"],
    [400, "maximum event size exceeded", "too_large"],
    [400, "event submitted with an empty distinct_id", "refused"],
    [401, "API key is not valid: not a project key", "retry"],
    [413, "", "too_large"],
    [503, "transient error, please retry", "retry"]
  ],
  clickhouse: [
    [200, "", "accepted"],
    [
      200,
      "Code: 252. DB::Exception: Too many parts (300). (TOO_MANY_PARTS) (version 26.3.1.1)",
      "retry",
      /TOO_MANY_PARTS/
    ],
    [
      200,
      "Code: 27. DB::Exception: Cannot parse input: canary-body (CANNOT_PARSE_INPUT_ASSERTION_FAILED)",
      "refused",
      /27/
    ],
    [
      400,
      "Code: 27. DB::Exception: Row 1: (CANARY_BODY) (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.3.1.1)",
      "refused",
      /27 \(CANNOT_PARSE_INPUT_ASSERTION_FAILED\)/
    ],
    [400, "Code: 321. DB::Exception: Out of range (VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE) (version 26.3)", "refused"],
    [400, "Code: 25. DB::Exception: Escape sequence (CANNOT_PARSE_ESCAPE_SEQUENCE) (version 26.3)", "refused"],
    [400, "Code: 62. DB::Exception: Syntax error (SYNTAX_ERROR)", "retry"],
    [403, "Code: 516. DB::Exception: default: Authentication failed (AUTHENTICATION_FAILED)", "retry"],
    [404, "Code: 60. DB::Exception: Unknown table (UNKNOWN_TABLE)", "retry"],
    [400, "Code: 53. DB::Exception: Type mismatch (TYPE_MISMATCH)", "refused"],
    [500, "Code: 241. DB::Exception: Memory limit exceeded (MEMORY_LIMIT_EXCEEDED)", "retry"],
    [500, "", "retry"],
    [400, "a proxy", "refused"]
  ],
  snowflake: [
    [200, '{"code":"090001"}', "accepted"],
    [202, '{"code":"333334","message":"Asynchronous execution in progress."}', "retry"],
    [408, '{"code":"000630"}', "retry"],
    [422, '{"code":"002003","sqlState":"42S02","message":"canary-body"}', "retry", /002003.*42S02/],
    [
      422,
      '{"code":"100038","sqlState":"22018","message":"Numeric value \'canary-body\' is not recognized"}',
      "refused",
      /22018/
    ],
    [422, '{"code":"000606","sqlState":"57P03"}', "retry"],
    [422, '{"code":"090105","sqlState":"22000"}', "retry"],
    [422, "", "retry"],
    [400, "", "refused"],
    [401, '{"code":"390303"}', "retry"],
    [413, "", "too_large"],
    [429, "", "retry"]
  ],
  s3: [
    [200, "", "accepted"],
    [301, "<Error><Code>PermanentRedirect</Code></Error>", "retry", /PermanentRedirect/],
    [400, "<Error><Code>AuthorizationHeaderMalformed</Code></Error>", "retry"],
    [400, "<Error><Code>ExpiredToken</Code></Error>", "retry"],
    [400, "<Error><Code>EntityTooLarge</Code></Error>", "too_large"],
    [400, "<Error><Code>KeyTooLongError</Code></Error>", "refused", /KeyTooLongError/],
    [403, "<Error><Code>AccessDenied</Code></Error>", "retry"],
    [404, "<Error><Code>NoSuchBucket</Code></Error>", "retry"],
    [503, "<Error><Code>SlowDown</Code></Error>", "retry"]
  ]
} as const satisfies Readonly<Record<string, readonly Case[]>>

for (const [type, rows] of Object.entries(cases) as [keyof typeof cases, readonly Case[]][])
  describe(`the answers of ${type}`, () => {
    for (const [status, body, kind, about = /^/] of rows)
      it(`${status} ${body.slice(0, 60)}: ${kind}`, () => {
        const verdict = renderers[type].judge?.(status, body, request(["a"]), new TextEncoder().encode(body))
        assert.strictEqual(verdict?.kind, kind)
        const message = verdict !== undefined && "message" in verdict ? verdict.message : ""
        assert.match(message, about)
        // What a platform repeats of a row belongs to nobody's log.
        assert.notMatch(message, /canary.body/i)
      })
  })

describe("what a platform repeats of a secret", () => {
  const secret = 'Canary/Secret"0123456789=='
  const secrets = secretsOf("webhook", {
    url: "https://platform.example",
    method: "POST",
    headers: { "x-key": secret }
  })
  for (const [how, spelled] of [
    ["as it is", secret],
    ["in JSON", JSON.stringify({ secret })],
    ["in JSON that escapes slashes", JSON.stringify({ secret }).replaceAll("/", "\\/")],
    ["in a URL", encodeURIComponent(secret)],
    ["in a form", new URLSearchParams({ secret }).toString()],
    ["in base64", btoa(secret)],
    ["in base64url", btoa(secret).replaceAll("+", "-").replaceAll("/", "_")]
  ] as const)
    it(`is not shown: ${how}`, () => {
      const shown = withoutSecrets(`no such key: ${spelled}`, secrets)
      assert.include(shown, "[secret]")
      assert.notMatch(shown, /Canary|0123456789|Q2FuYXJ5/)
    })
})

it("secrets beyond ASCII are not shown in JSON that escapes them", () => {
  const config = {
    url: "https://platform.example",
    method: "POST",
    headers: { "x-key": "Can\u00e4ry'?>01/23" }
  } as const
  for (const text of [
    "Can\\u00e4ry'?>01/23",
    "Can\\u00e4ry'?>01\\/23",
    "Can%C3%A4ry%27%3F%3E01%2F23",
    "Q2Fuw6RyeSc_PjAxLzIz"
  ])
    assert.strictEqual(withoutSecrets(`no ${text}`, secretsOf("webhook", config)), "no [secret]")
})

describe("secrets that an answer is full of", () => {
  it("a URL of a million characters is not taken apart, and beside it nothing of a platform is shown", () => {
    const parts = Array.from({ length: 150_000 }, (_, index) => index.toString(36).padStart(6, "x"))
    const config = { url: `https://user@platform.example/${parts.join("/")}`, method: "POST" } as const
    assert.strictEqual(withoutSecrets("no such key", secretsOf("webhook", config)), "")
  })

  const secretsOfHeaders = (...values: readonly string[]) =>
    secretsOf("webhook", {
      url: "https://platform.example",
      method: "POST",
      headers: Object.fromEntries(values.map((value, at) => [`x-${at}`, value]))
    })

  it("are looked for once, however many headers have the same", () => {
    const secrets = secretsOfHeaders(...Array.from({ length: 64 }, () => "secret"))
    assert.lengthOf(secrets, new Set(secrets).size)
    assert.strictEqual(withoutSecrets(`${"secret".repeat(1_000)} is none`, secrets), "[secret] is none")
  })

  it("are not shown in part where the searched part of the answer ends", () => {
    const secret = "0123456789abcdef"
    for (const before of [8_180, 8_192]) {
      const message = `${"secret".repeat(8_192)}`.slice(0, before) + secret
      assert.strictEqual(withoutSecrets(message, secretsOfHeaders("secret", secret)), "[secret]")
    }
  })

  it("leave nothing of each other, whichever is the longer", () => {
    const secrets = secretsOfHeaders("abcdefgh", "ghijklmnop", "cdefgh")
    assert.strictEqual(withoutSecrets("no abcdefghijklmnop, no cdefgh", secrets), "no [secret], no [secret]")
  })

  it("are not shown in part where they are too long to be looked for", () => {
    const secrets = secretsOfHeaders("a".repeat(20_000), "0123456789")
    assert.strictEqual(withoutSecrets("no such key: 0123456789", secrets), "")
  })
})

describe("the answers to a connection test", () => {
  it("pass where the platform knows the key and finds nothing to take", () => {
    assert.deepStrictEqual(renderers.datadog.judge?.(400, "", request([]), none), { kind: "accepted" })
    assert.strictEqual(renderers.datadog.judge?.(403, "", request([]), none).kind, "retry")
    const limited = '{"flags":{},"quota_limited":["feature_flags"]}'
    assert.deepStrictEqual(renderers.posthog.judge?.(200, limited, request([]), none), { kind: "accepted" })
  })
})
