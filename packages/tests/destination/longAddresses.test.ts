/** Addresses in configs: each has a bound, so that no work on one is long. */
import { type DestinationType, destinationTypes } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { checkConfig } from "../../core/src/destination/config.ts"
import { Effect } from "effect"

const addresses: Readonly<Record<DestinationType, readonly string[]>> = {
  arize: ["baseUrl"],
  braintrust: ["baseUrl"],
  clickhouse: ["host"],
  datadog: ["url"],
  grafana: ["baseUrl"],
  langfuse: ["baseUrl"],
  langsmith: ["endpoint"],
  newrelic: ["baseUrl"],
  opik: ["baseUrl"],
  "otel-collector": ["endpoint"],
  posthog: ["endpoint"],
  ramp: ["baseUrl"],
  s3: ["endpoint"],
  sentry: ["dsn", "otlpEndpoint"],
  snowflake: ["host"],
  weave: ["baseUrl"],
  webhook: ["url"]
}

/** A valid URL, also a DSN, of so many characters. */
const urlOf = (length: number): string => `https://key@${"a".repeat(length - 19)}.test/1`

describe.each(destinationTypes.map(({ type, config }) => [type, config] as const))("%s", (type, { shape }) => {
  const texts = Object.fromEntries(
    Object.keys(shape)
      .filter((name) => name !== "headers" && name !== "region" && name !== "method")
      .map((name) => [name, "a"])
  )
  const config = { ...texts, ...Object.fromEntries(addresses[type].map((name) => [name, urlOf(2_048)])) }

  it.effect("takes addresses of 2,048 characters", () => checkConfig(type, config))

  it.effect.each(addresses[type])("refuses a longer %s", (name) =>
    Effect.gen(function* () {
      const { reason, issues } = yield* Effect.flip(checkConfig(type, { ...config, [name]: urlOf(2_049) }))
      assert.strictEqual(reason, "invalid_request")
      assert.deepEqual(
        issues?.map(({ path, code }) => [path, code]),
        [[`config.${name}`, "too_big"]]
      )
    })
  )
})
