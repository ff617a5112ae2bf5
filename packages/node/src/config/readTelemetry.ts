/** From OpenTelemetry's variables to where traces go, or to why they go nowhere. Source: `telemetryVariables.ts`. */
import { withoutTrailingSlashes } from "@gatewarden/core/internal"
import { Redacted } from "effect"
import { defaultSampler, makeSampler, type Sampler } from "./makeSampler.ts"
import type { telemetryVariables } from "./telemetryVariables.ts"

export interface Telemetry {
  /** The collector's whole address for traces. */
  readonly url: string
  readonly protocol: "http/protobuf" | "http/json"
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly sampler: Sampler
}

type Given = { readonly [Name in keyof typeof telemetryVariables]?: string | undefined }

export const readTelemetry = (
  given: Given
): { readonly telemetry: Telemetry | undefined; readonly warnings: readonly string[] } => {
  const off = (...warnings: readonly string[]) => ({ telemetry: undefined, warnings })
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === "true" || given.OTEL_TRACES_EXPORTER === "none") return off()
  const own = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const shared = given.OTEL_EXPORTER_OTLP_ENDPOINT
  const endpoint = own ?? shared
  if (endpoint === undefined) return off()

  const problems: string[] = []
  const unusable = (name: keyof Given, what: string) => problems.push(`${name}: ${what}; no traces are sent`)

  const isUrl = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)
  const endpointName = own === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
  if (!isUrl) unusable(endpointName, "not an http or https URL")
  const exporter = given.OTEL_TRACES_EXPORTER
  if (exporter !== undefined && exporter !== "otlp") unusable("OTEL_TRACES_EXPORTER", 'only "otlp" is known')

  const protocol = given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? given.OTEL_EXPORTER_OTLP_PROTOCOL ?? "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json")
    unusable("OTEL_EXPORTER_OTLP_PROTOCOL", 'only "http/protobuf" and "http/json" are spoken')

  const headers = readPairs(given.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? given.OTEL_EXPORTER_OTLP_HEADERS ?? "")
  if (headers === undefined || !areHeaders(headers)) unusable("OTEL_EXPORTER_OTLP_HEADERS", "not <name>=<value>[,…]")
  const attributes = readPairs(given.OTEL_RESOURCE_ATTRIBUTES ?? "")
  if (attributes === undefined) unusable("OTEL_RESOURCE_ATTRIBUTES", "not <key>=<value>[,…]")

  const ratio = Number(given.OTEL_TRACES_SAMPLER_ARG ?? 1)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) unusable("OTEL_TRACES_SAMPLER_ARG", "not a number from 0 to 1")
  const sampler = makeSampler(given.OTEL_TRACES_SAMPLER ?? defaultSampler, isRatio ? ratio : 1)
  if (sampler === undefined) unusable("OTEL_TRACES_SAMPLER", "not the name of a sampler that is known")

  if (problems.length > 0 || headers === undefined || attributes === undefined || sampler === undefined)
    return off(...problems)
  const { "service.name": named, ...rest } = attributes
  return {
    telemetry: {
      url: own ?? `${withoutTrailingSlashes(endpoint)}/v1/traces`,
      protocol: protocol === "http/json" ? "http/json" : "http/protobuf",
      headers: Redacted.make(headers),
      serviceName: given.OTEL_SERVICE_NAME ?? named ?? "gatewarden",
      attributes: rest,
      sampler
    },
    warnings: []
  }
}

/** `<key>=<value>[,…]` with percent-encoded values, as W3C Baggage has them; undefined when malformed. */
const readPairs = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs: Record<string, string> = {}
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const at = pair.indexOf("=")
    if (at < 1) return undefined
    try {
      pairs[pair.slice(0, at).trim()] = decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return undefined
    }
  }
  return pairs
}

const areHeaders = (headers: Readonly<Record<string, string>>): boolean =>
  Object.entries(headers).every(([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value))
