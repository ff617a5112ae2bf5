import { JsonWriter } from "./JsonWriter.ts"
import type { Attribute, AttributeValue, Span } from "./Span.ts"
import type { SpanEncoding } from "./SpanEncoding.ts"
import { joinBytes } from "../../value/joinBytes.ts"

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

const writeValue = (writer: JsonWriter, value: AttributeValue): void => {
  if ("stringValue" in value) {
    writer.raw('{"stringValue":')
    writer.quoted(value.stringValue)
    writer.raw("}")
  } else if ("intValue" in value) {
    writer.raw('{"intValue":"')
    writer.raw(value.intValue)
    writer.raw('"}')
  } else if ("boolValue" in value) writer.raw(value.boolValue ? '{"boolValue":true}' : '{"boolValue":false}')
  else if ("doubleValue" in value && Number.isFinite(value.doubleValue)) {
    writer.raw('{"doubleValue":')
    writer.raw(String(value.doubleValue))
    writer.raw("}")
  } else writer.json(value)
}

const writeAttributes = (writer: JsonWriter, attributes: readonly Attribute[]): void => {
  for (let index = 0; index < attributes.length; index++) {
    const { key, value } = attributes[index] as Attribute
    writer.raw(index === 0 ? '{"key":' : ',{"key":')
    writer.quoted(key)
    writer.raw(',"value":')
    writeValue(writer, value)
    writer.raw("}")
  }
}

const writeSpan = (writer: JsonWriter, span: Span): void => {
  writer.raw('{"traceId":"')
  writer.raw(span.traceId)
  writer.raw('","spanId":"')
  writer.raw(span.spanId)
  if (span.parentSpanId !== undefined) {
    writer.raw('","parentSpanId":"')
    writer.raw(span.parentSpanId)
  }
  writer.raw('","name":')
  writer.quoted(span.name)
  writer.raw(span.kind === 1 ? ',"kind":1,"startTimeUnixNano":"' : ',"kind":3,"startTimeUnixNano":"')
  writer.raw(span.startTimeUnixNano)
  writer.raw('","endTimeUnixNano":"')
  writer.raw(span.endTimeUnixNano)
  writer.raw('","attributes":[')
  writeAttributes(writer, span.attributes)
  if (span.status.message === undefined) {
    writer.raw(span.status.code === 0 ? '],"status":{"code":0}}' : '],"status":{"code":2}}')
    return
  }
  writer.raw(span.status.code === 0 ? '],"status":{"code":0,"message":' : '],"status":{"code":2,"message":')
  writer.quoted(span.status.message)
  writer.raw("}}")
}

/** One for all spans: encoding is one step, which nothing interrupts, and begins with an empty writer. */
const shared = new JsonWriter()

const encode = (span: Span): Uint8Array => {
  writeSpan(shared, span)
  return shared.take()
}

/**
 * OTLP's JSON encoding.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export const jsonEncoding: SpanEncoding = {
  contentType: "application/json",
  encode,
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
