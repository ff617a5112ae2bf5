/** Addresses, headers and credentials. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import {
  type RenderedRequest,
  addressOfHost,
  basicAuth,
  headerText
} from "../../../core/src/delivery/rendering/Renderer.ts"
import { below } from "../../../core/src/delivery/rendering/Span.ts"
import { langsmith } from "../../../core/src/delivery/types/langsmith.ts"
import { newrelic, otelCollector } from "../../../core/src/delivery/types/otlpTypes.ts"
import { s3 } from "../../../core/src/delivery/types/s3.ts"
import { sentry } from "../../../core/src/delivery/types/sentry.ts"
import { baseUrlOf } from "../../../core/src/privateEndpoint/privateEndpoint.ts"

const urlOf = (probe: Effect.Effect<RenderedRequest>) => Effect.map(probe, ({ url }) => url)
const headersOf = (probe: Effect.Effect<RenderedRequest>) => Effect.map(probe, ({ headers }) => Redacted.value(headers))

it("below: a base may end with slashes or with the beginning of the path", () => {
  for (const base of [
    "https://x",
    "https://x/",
    "https://x//",
    "https://x/otlp",
    "https://x/otlp/",
    "https://x/otlp/v1",
    "https://x/otlp/v1/traces"
  ])
    assert.strictEqual(below(base, "/otlp/v1/traces"), "https://x/otlp/v1/traces", base)
  assert.strictEqual(below("https://x/own", "/v1/traces"), "https://x/own/v1/traces")
  assert.strictEqual(below("", "/v1/traces"), "/v1/traces")
})

it("addresses: a million slashes inside of one take no longer than other characters", () => {
  const base = `https://x${"/".repeat(1_000_000)}x`
  assert.strictEqual(below(base, "/v1/traces"), `${base}/v1/traces`)
  assert.strictEqual(below(`${base}///`, "/v1/traces"), `${base}/v1/traces`)
  assert.strictEqual(addressOfHost(`${base}/`), base)
  assert.strictEqual(baseUrlOf({ base_url: `${base}//` }, undefined), base)
})

it("headerText: no value begins another header, and every value is one that fetch takes", () => {
  assert.strictEqual(headerText(" a\r\nx-other: 1\u0000 "), "ax-other: 1")
  assert.strictEqual(headerText("naïve"), "naïve")
  assert.strictEqual(Buffer.from(headerText("プロジェクト"), "latin1").toString("utf8"), "プロジェクト")
  for (const value of ["a\r\nb", "プロ", "\ud800", "😀", "\u007f"])
    assert.doesNotThrow(() => new Headers({ x: headerText(value) }), value)
})

it("basicAuth encodes UTF-8", () => {
  assert.strictEqual(basicAuth("api", "ключ"), `Basic ${Buffer.from("api:ключ").toString("base64")}`)
})

describe("addresses", () => {
  it.effect("of collectors are taken as they are, unless they have no path", () =>
    Effect.gen(function* () {
      for (const [endpoint, url] of [
        ["https://otel.example:4318", "https://otel.example:4318/v1/traces"],
        ["https://otel.example:4318/", "https://otel.example:4318/v1/traces"],
        ["https://api.axiom.co/v1/traces", "https://api.axiom.co/v1/traces"],
        ["https://otel.example/own/path?x=1", "https://otel.example/own/path?x=1"]
      ] as const)
        assert.strictEqual(yield* urlOf(otelCollector.probe({ endpoint }, 0)), url)
    })
  )

  it.effect("may have a million slashes before another character", () =>
    Effect.gen(function* () {
      const endpoint = `https://x?${"/".repeat(1_000_000)}x`
      assert.strictEqual(yield* urlOf(otelCollector.probe({ endpoint }, 0)), `${endpoint}/v1/traces`)
      const url = yield* urlOf(
        s3.probe(
          { bucketName: "b", accessKeyId: "k", secretAccessKey: "s", endpoint, prefix: "p", pathTemplate: "{prefix}" },
          0
        )
      )
      assert.isTrue(url.startsWith(`${endpoint}/b`))
    })
  )

  it.effect("of New Relic are the region's", () =>
    Effect.gen(function* () {
      const url = (region: "us" | "eu") => urlOf(newrelic.probe({ licenseKey: "k", region }, 0))
      assert.strictEqual(yield* url("us"), "https://otlp.nr-data.net/v1/traces")
      assert.strictEqual(yield* url("eu"), "https://otlp.eu01.nr-data.net/v1/traces")
    })
  )
})

describe("credentials", () => {
  it.effect("of Sentry are the public key of the DSN", () =>
    Effect.gen(function* () {
      for (const dsn of ["https://abc@o0.ingest.sentry.io/1", "https://abc:secret@o0.ingest.sentry.io/path/1/"]) {
        const headers = yield* headersOf(
          sentry.probe({ dsn, otlpEndpoint: "https://o0.ingest.sentry.io/api/1/otlp" }, 0)
        )
        assert.strictEqual(headers["x-sentry-auth"], "sentry sentry_key=abc")
      }
    })
  )

  it.effect("of LangSmith name a workspace only if there is one", () =>
    Effect.gen(function* () {
      const config = { apiKey: "k", endpoint: "https://smith.example", project: "p" }
      assert.notProperty(yield* headersOf(langsmith.probe(config, 0)), "x-tenant-id")
      const named = yield* headersOf(langsmith.probe({ ...config, workspaceId: "w" }, 0))
      assert.strictEqual(named["x-tenant-id"], "w")
    })
  )
})
