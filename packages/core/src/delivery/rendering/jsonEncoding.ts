import { joinBytes } from "../../value/bytes.ts"
import type { Attribute, AttributeValue, Span, SpanEncoding, SpanEvent } from "./Span.ts"

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

/** What JSON does not write as it is, or may not. */
const escaped = /[^ !#-[\]-~]/

/** Most texts of a span are names and ids: to look is much cheaper than `JSON.stringify`. */
const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

const valueOf = (value: AttributeValue): string => {
  if ("stringValue" in value) return `{"stringValue":${quoted(value.stringValue)}}`
  if ("intValue" in value) return `{"intValue":"${value.intValue}"}`
  if ("boolValue" in value) return value.boolValue ? '{"boolValue":true}' : '{"boolValue":false}'
  if ("doubleValue" in value && Number.isFinite(value.doubleValue)) return `{"doubleValue":${value.doubleValue}}`
  return JSON.stringify(value)
}

const beginnings = new Map<string, string>()

/** An attribute up to its value. Those of the conventions are kept: they are few, none has a caller's text in its name, and each span has most. */
const beginningOf = (key: string): string => {
  const known = beginnings.get(key)
  if (known !== undefined) return known
  const beginning = `{"key":${quoted(key)},"value":`
  if (key.startsWith("gen_ai.")) beginnings.set(key, beginning)
  return beginning
}

const attributesOf = (attributes: readonly Attribute[]): string =>
  attributes.map(({ key, value }) => `${beginningOf(key)}${valueOf(value)}}`).join(",")

const statusOf = ({ code, message }: Span["status"]): string =>
  message === undefined ? `{"code":${code}}` : `{"code":${code},"message":${quoted(message)}}`

const eventOf = ({ timeUnixNano, name, attributes }: SpanEvent): string =>
  `{"timeUnixNano":"${timeUnixNano}","name":${quoted(name)},"attributes":[${attributesOf(attributes)}]}`

const jsonOf = (span: Span): string => {
  const parent = span.parentSpanId === undefined ? "" : `"parentSpanId":"${span.parentSpanId}",`
  const events = span.events === undefined ? "" : `"events":[${span.events.map(eventOf).join(",")}],`
  return (
    `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}"name":${quoted(span.name)},"kind":${span.kind},` +
    `"startTimeUnixNano":"${span.startTimeUnixNano}","endTimeUnixNano":"${span.endTimeUnixNano}",` +
    `"attributes":[${attributesOf(span.attributes)}],${events}"status":${statusOf(span.status)}}`
  )
}

const chunkBytes = 262_144
const mostBytesPerCharacter = 3
let chunk = new Uint8Array(chunkBytes)
let used = 0

/** One behind the other into what is there: to find room for each costs as much as to encode it. */
const bytesOf = (text: string): Uint8Array => {
  const most = text.length * mostBytesPerCharacter
  if (most > chunkBytes / 4) return utf8.encode(text)
  if (used + most > chunkBytes) {
    chunk = new Uint8Array(chunkBytes)
    used = 0
  }
  const begin = used
  used += utf8.encodeInto(text, chunk.subarray(begin)).written
  return chunk.subarray(begin, used)
}

/**
 * OTLP's JSON encoding.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export const jsonEncoding: SpanEncoding = {
  contentType: "application/json",
  encode: (span) => bytesOf(jsonOf(span)),
  /** Of one span in a list: its comma. */
  overheadOfSpan: 1,
  overheadOfJoin: 0,
  join: (resource, scope, spans) => {
    const around = JSON.stringify({
      resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: [] }] }]
    })
    const at = around.lastIndexOf("]}]}]}")
    return joinBytes([
      utf8.encode(around.slice(0, at)),
      ...spans.flatMap((span, index) => (index === 0 ? [span] : [comma, span])),
      utf8.encode(around.slice(at))
    ])
  },
  empty: () => utf8.encode('{"resourceSpans":[]}')
}
