/**
 * OpenTelemetry's own variables, as far as they are honoured here. Source: OpenTelemetry, SDK environment variables and OTLP
 * exporter configuration.
 *
 * Nothing is refused: what cannot be followed is a warning (`readTelemetry`), because telemetry must not keep a server from
 * starting, and these variables are often set for a whole cluster.
 */
import * as z from "zod"

const row = (expected: string, meaning: string) => ({ schema: z.string(), expected, meaning })

export const telemetryVariables = {
  OTEL_SDK_DISABLED: row("true or false", "true: the server sends no traces."),
  OTEL_SERVICE_NAME: row("a name", "Name of the service in traces; default gatewarden."),
  OTEL_RESOURCE_ATTRIBUTES: row("<key>=<value>[,…]", "Attributes of the process in traces."),
  OTEL_TRACES_EXPORTER: row('"otlp" or "none"', "none: the server sends no traces."),
  OTEL_EXPORTER_OTLP_ENDPOINT: row(
    "an http or https URL",
    "Address of the collector; /v1/traces is appended. Unset: the server sends no traces."
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: row(
    "an http or https URL",
    "Complete address for traces, in place of the one above."
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: row(
    '"http/protobuf" or "http/json"',
    "Encoding of traces; default http/protobuf. gRPC is not supported."
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: row('"http/protobuf" or "http/json"', "The same, for traces alone."),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...row("<name>=<value>[,…]", "Headers for the collector, such as its key; values are percent-encoded."),
    secret: true
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    ...row("<name>=<value>[,…]", "The same, for traces alone."),
    secret: true
  },
  OTEL_TRACES_SAMPLER: row(
    '"always_on", "always_off", "traceidratio" or one of these after "parentbased_"',
    "Which traces the server sends; default parentbased_always_on."
  ),
  OTEL_TRACES_SAMPLER_ARG: row("a number from 0 to 1", "Share of traces for the traceidratio samplers; default 1.")
} as const
