/** A tracer that sends its spans to a collector, in batches, and what is left when the scope closes. Source: OTLP/HTTP. */
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { randomUUID } from "node:crypto"
import type { Telemetry } from "../config/readTelemetry.ts"
import { version } from "../platform/version.ts"

const serialization: Readonly<Record<Telemetry["protocol"], Layer.Layer<OtlpSerialization.OtlpSerialization>>> = {
  "http/protobuf": OtlpSerialization.layerProtobuf,
  "http/json": OtlpSerialization.layerJson
}

export const sendingTracer = Effect.fnUntraced(function* (telemetry: Telemetry) {
  const services = yield* Layer.build(
    Layer.mergeAll(FetchHttpClient.layer, serialization[telemetry.protocol], OtlpExporter.layerFlusher)
  )
  return yield* OtlpTracer.make({
    url: telemetry.url,
    headers: Redacted.value(telemetry.headers),
    resource: {
      serviceName: telemetry.serviceName,
      serviceVersion: version,
      attributes: { "service.instance.id": randomUUID(), ...telemetry.attributes }
    }
  }).pipe(
    Effect.provideContext(services),
    // The variables were read already, and leniently.
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
  )
})
