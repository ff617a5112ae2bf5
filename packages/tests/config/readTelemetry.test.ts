import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { readTelemetry } from "../../node/src/config/readTelemetry.ts"

const OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector:4318/"

describe("readTelemetry", () => {
  it("sends nothing unless a collector is named", () => {
    assert.deepStrictEqual(readTelemetry({}), { telemetry: undefined, warnings: [] })
    for (const off of [{ OTEL_SDK_DISABLED: "TRUE" }, { OTEL_TRACES_EXPORTER: "none" }])
      assert.deepStrictEqual(readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, ...off }), {
        telemetry: undefined,
        warnings: []
      })
  })

  it("has the standard's defaults", () => {
    const { telemetry } = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT })
    assert.include(telemetry, {
      url: "http://collector:4318/v1/traces",
      protocol: "http/protobuf",
      serviceName: "gatewarden"
    })
  })

  it("prefers what is said of traces alone, which is a whole address", () => {
    const { telemetry } = readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in?x=1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Basic%20eA%3D%3D, b = 2"
    })
    assert.include(telemetry, { url: "https://traces.example/in?x=1", protocol: "http/json" })
    assert.deepStrictEqual(telemetry && Redacted.value(telemetry.headers), { authorization: "Basic eA==", b: "2" })
  })

  it("names the service by its own variable, else by the resource", () => {
    const OTEL_RESOURCE_ATTRIBUTES = "service.name=by-resource,service.namespace=n"
    const byResource = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_RESOURCE_ATTRIBUTES }).telemetry
    assert.strictEqual(byResource?.serviceName, "by-resource")
    assert.deepStrictEqual(byResource?.attributes, { "service.namespace": "n" })
    const byName = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: "by-name" }
    assert.strictEqual(readTelemetry(byName).telemetry?.serviceName, "by-name")
  })

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://collector"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "s3cret"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret%0d%0a"],
    ["OTEL_RESOURCE_ATTRIBUTES", "a=%"],
    ["OTEL_TRACES_EXPORTER", "jaeger"],
    ["OTEL_TRACES_SAMPLER", "xray"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["OTEL_TRACES_SAMPLER_ARG", "half"]
  ])("warns of %s=%s, sends nothing, and repeats no secret", (name, value) => {
    const { telemetry, warnings } = readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value })
    assert.isUndefined(telemetry)
    assert.lengthOf(warnings, 1)
    assert.match(warnings[0] ?? "", new RegExp(`^${name}: .*; no traces are sent$`))
    assert.notInclude(warnings[0], "s3cret")
  })
})
