import { type DestinationType, destinationTypes } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maskConfig } from "../../core/src/destination/config.ts"
import { maskSecret } from "../../core/src/vault/maskSecret.ts"

/** The secret fields of every type, once more and by hand: a table that loses one must not go unnoticed. */
const secretFields: Readonly<Record<DestinationType, readonly string[]>> = {
  arize: ["apiKey", "spaceKey"],
  braintrust: ["apiKey"],
  clickhouse: ["password"],
  datadog: ["apiKey"],
  grafana: ["apiKey"],
  langfuse: ["publicKey", "secretKey"],
  langsmith: ["apiKey"],
  newrelic: ["licenseKey"],
  opik: ["apiKey"],
  "otel-collector": [],
  posthog: ["apiKey"],
  ramp: ["apiKey"],
  s3: ["accessKeyId", "secretAccessKey", "sessionToken"],
  sentry: [],
  snowflake: ["token"],
  weave: ["apiKey"],
  webhook: []
}

const values = fc.string({ unit: "binary", maxLength: 60 })

describe("maskConfig", () => {
  it("masks the secrets of each type and every header, and nothing else", () => {
    for (const { type, config } of destinationTypes) {
      const fields = Object.keys(config.shape).filter((field) => field !== "headers")
      const configs = fc.record({
        ...Object.fromEntries(fields.map((field) => [field, values])),
        headers: fc.dictionary(fc.string(), values)
      })
      fc.assert(
        fc.property(configs, (sent: Record<string, unknown> & { headers: Record<string, string> }) => {
          const shown = maskConfig(type, sent as never) as typeof sent
          assert.sameMembers(Object.keys(shown), Object.keys(sent))
          for (const field of fields) {
            const value = sent[field] as string
            const expected = !secretFields[type].includes(field)
              ? value
              : type === "clickhouse"
                ? "********"
                : maskSecret(value)
            assert.strictEqual(shown[field], expected, `${type}.${field}`)
          }
          assert.deepStrictEqual(
            Object.entries(shown.headers),
            Object.entries(sent.headers).map(([name, value]) => [name, maskSecret(value)])
          )
        }),
        { numRuns: 50, seed: 20260304 }
      )
    }
  })

  it("leaves absent what is absent", () => {
    assert.deepStrictEqual(maskConfig("webhook", { url: "https://example.com", method: "POST" }), {
      url: "https://example.com",
      method: "POST"
    })
  })
})
