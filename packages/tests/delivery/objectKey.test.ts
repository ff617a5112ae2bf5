import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { objectKey } from "../../core/src/delivery/rendering/objectKey.ts"
import { encodeRfc3986 } from "../../core/src/platform/signAwsRequest.ts"

const values = { prefix: "traces/prod", created_at: "2026-01-05T23:59:59.999Z", apiKeyName: "Mobile app" }

const awkward = fc.string({
  maxLength: 60,
  unit: fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "{prefix}",
    "{date}",
    "{",
    "}",
    "\u0000",
    "\ud800",
    "😀",
    "%2e",
    "%2F",
    "a",
    " ",
    "?",
    "#"
  )
})

describe("objectKey", () => {
  it("puts values into the places of a template", () => {
    const cases = [
      ["{prefix}/{date}", "traces/prod/2026-01-05/a.json"],
      ["traces/{year}/{month}/{day}", "traces/2026/01/05/a.json"],
      ["{apiKeyName}/{date}", "Mobile app/2026-01-05/a.json"],
      ["/production//llm-traces/", "production/llm-traces/a.json"],
      ["{unknown}/{prefix", "{unknown}/{prefix/a.json"],
      ["", "a.json"]
    ] as const
    for (const [template, key] of cases) assert.strictEqual(objectKey(template, values, "a.json"), key)
  })

  it("takes a value for text: braces, separators and dots of a name lead nowhere", () => {
    const of = (apiKeyName: string | null) =>
      objectKey("keys/{apiKeyName}/{prefix}", { ...values, apiKeyName }, "a.json")
    assert.strictEqual(of("{prefix}"), "keys/{prefix}/traces/prod/a.json")
    assert.strictEqual(of("../../other/{date}"), "keys/.._.._other_{date}/traces/prod/a.json")
    assert.strictEqual(of(".."), "keys/__/traces/prod/a.json")
    assert.strictEqual(of(null), "keys/unknown/traces/prod/a.json")
    assert.strictEqual(objectKey("{prefix}", { ...values, prefix: "../../etc" }, "a.json"), "__/__/etc/a.json")
  })

  it("is a key that S3 takes and a URL keeps, whatever the template and the values", () => {
    fc.assert(
      fc.property(
        awkward,
        awkward,
        fc.option(awkward, { nil: null }),
        fc.nat(3000),
        (template, prefix, apiKeyName, more) => {
          const key = objectKey(
            `${"{prefix}/".repeat(more % 7)}${template}`,
            { ...values, prefix: prefix + "x".repeat(more), apiKeyName },
            "a.json"
          )
          assert.isAtMost(Buffer.byteLength(key), 1024)
          assert.match(key, /(?:^|\/)a\.json$/)
          const segments = key.split("/")
          for (const segment of segments) assert.notMatch(segment, /^\.*$/)
          const { pathname, host } = new URL(`https://bucket.example/b/${segments.map(encodeRfc3986).join("/")}`)
          assert.strictEqual(host, "bucket.example")
          assert.strictEqual(decodeURIComponent(pathname), `/b/${key}`)
        }
      )
    )
  })
})
