/**
 * Reads a request of OTLP strictly, in either encoding, by the code that OpenTelemetry generates from its protobuf files.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/, https://github.com/open-telemetry/opentelemetry-proto
 */
import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js"
import * as z from "zod"

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** `""` for a root. */
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly status: { readonly code: number; readonly message: string }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly {
    readonly name: string
    readonly time: bigint
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly resource: Readonly<Record<string, unknown>>
  readonly scope: string
}

const int64 = z.string().regex(/^-?(?:0|[1-9]\d{0,18})$/)
const nanos = z.string().regex(/^(?:0|[1-9]\d{0,18})$/)
const hex = (length: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${length}}$`))
const utf8 = z.string().refine((text) => !/\p{Surrogate}/u.test(text), "Expected text that has UTF-8")

const plain = [
  z.strictObject({ stringValue: utf8 }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: int64 }),
  z.strictObject({ doubleValue: z.number() })
] as const

const attributes = z
  .array(
    z.strictObject({
      key: utf8.min(1),
      value: z.union([...plain, z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.union(plain)) }) })])
    })
  )
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, "Expected every key once")

const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: utf8, version: utf8.optional() }),
          spans: z.array(
            z
              .strictObject({
                traceId: hex(32),
                spanId: hex(16),
                parentSpanId: hex(16).optional(),
                name: utf8.min(1),
                kind: z.int().min(1).max(5),
                startTimeUnixNano: nanos,
                endTimeUnixNano: nanos,
                attributes,
                events: z.array(z.strictObject({ timeUnixNano: nanos, name: utf8.min(1), attributes })).optional(),
                status: z.strictObject({ code: z.int().min(0).max(2), message: utf8.optional() })
              })
              .refine(
                (span) => BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano),
                "Expected start before end"
              )
          )
        })
      )
    })
  )
})

type OtlpRequest = z.output<typeof requestSchema>
type OtlpAttributes = z.output<typeof attributes>

/** A generated message, as far as it is used here. */
interface Message {
  readonly decode: (bytes: Uint8Array) => unknown
  readonly encode: (value: unknown) => { readonly finish: () => Uint8Array }
  readonly fromObject: (value: unknown) => unknown
  readonly toObject: (value: unknown, options: object) => unknown
  readonly verify: (value: unknown) => string | null
}

interface Generated {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: {
          readonly v1: { readonly ExportTraceServiceRequest: Message; readonly ExportTraceServiceResponse: Message }
        }
      }
    }
  }
}

const { ExportTraceServiceRequest, ExportTraceServiceResponse } = (root as unknown as Generated).opentelemetry.proto
  .collector.trace.v1

const hexOf = (bytes: string): string => Buffer.from(bytes, "base64").toString("hex")

/** The JSON of protobuf has ids in base64, names of enums as numbers here, and every field that is set. */
const idsAs = (json: string, convert: (id: string) => string): unknown =>
  JSON.parse(json, (key, value: unknown) =>
    typeof value === "string" && ["traceId", "spanId", "parentSpanId"].includes(key) ? convert(value) : value
  )

const fromProtobuf = (body: Uint8Array): unknown => {
  const decoded = ExportTraceServiceRequest.decode(body)
  const again = ExportTraceServiceRequest.encode(decoded).finish()
  if (!Buffer.from(again).equals(Buffer.from(body))) throw new Error("Expected what a generated encoder writes")
  const value = ExportTraceServiceRequest.toObject(decoded, { longs: String, bytes: String, json: true })
  const request = idsAs(JSON.stringify(value), hexOf) as { resourceSpans?: readonly object[] }
  return {
    resourceSpans: (request.resourceSpans ?? []).map((resource) => ({ scopeSpans: [], ...resource })).map(withDefaults)
  }
}

/** Fields that protobuf leaves out when they are at their defaults. */
const withDefaults = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, item: unknown) => {
    if (key === "status") return { code: 0, ...(item as object) }
    return key === "arrayValue" ? { values: [], ...(item as object) } : item
  })

const checkByGenerated = (request: OtlpRequest): void => {
  const value = idsAs(JSON.stringify(request), (id) => Buffer.from(id, "hex").toString("base64"))
  const built = ExportTraceServiceRequest.fromObject(value)
  const problem = ExportTraceServiceRequest.verify(built)
  if (problem !== null) throw new Error(problem)
  ExportTraceServiceRequest.encode(built).finish()
}

const valuesOf = (list: OtlpAttributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      "intValue" in value
        ? Number(value.intValue)
        : "arrayValue" in value
          ? value.arrayValue.values.flatMap(Object.values)
          : Object.values(value)[0]
    ])
  )

/** The spans of a request. Throws for one that no intake would read. */
export const readSpans = (contentType: string | undefined, body: Uint8Array): readonly ReceivedSpan[] => {
  const isJson = contentType === "application/json"
  if (!isJson && contentType !== "application/x-protobuf") throw new Error("Expected a content type of OTLP")
  const text = isJson ? new TextDecoder("utf-8", { fatal: true }).decode(body) : ""
  const request = requestSchema.parse(isJson ? JSON.parse(text) : fromProtobuf(body))
  checkByGenerated(request)
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        status: { code: span.status.code, message: span.status.message ?? "" },
        attributes: valuesOf(span.attributes),
        events: (span.events ?? []).map(({ timeUnixNano, name, attributes }) => ({
          name,
          time: BigInt(timeUnixNano),
          attributes: valuesOf(attributes)
        })),
        resource: valuesOf(resource.attributes),
        scope: scope.name
      }))
    )
  )
}

/** The answer of an intake that rejected spans, in the encoding of the request. */
export const partialSuccess = (contentType: string, rejectedSpans: number, errorMessage: string): Uint8Array =>
  contentType === "application/json"
    ? new TextEncoder().encode(
        JSON.stringify({ partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } })
      )
    : ExportTraceServiceResponse.encode(
        ExportTraceServiceResponse.fromObject({ partialSuccess: { rejectedSpans, errorMessage } })
      ).finish()
