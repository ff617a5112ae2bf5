/**
 * OTLP's binary encoding: the few messages of protobuf that spans consist of. Fields are written in descending order of their numbers, so
 * that they stand in ascending order.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto (opentelemetry/proto/{collector/trace,trace,resource,common}/v1)
 */
import { ProtobufWriter } from "./ProtobufWriter.ts"
import type { Attribute, AttributeValue, Span, SpanEvent } from "./Span.ts"
import type { Scope, SpanEncoding } from "./SpanEncoding.ts"

/** A `oneof`: what is set is written, also when it is the default. */
const writeValue = (writer: ProtobufWriter, value: AttributeValue): void => {
  if ("stringValue" in value) return writer.text(1, value.stringValue)
  if ("boolValue" in value) return writer.integer(2, value.boolValue ? 1 : 0)
  if ("intValue" in value) return writer.integer(3, Number(value.intValue))
  if ("doubleValue" in value) return writer.double(4, value.doubleValue)
  return writer.message(5, () => {
    for (const item of value.arrayValue.values.toReversed()) writer.message(1, () => writeValue(writer, item))
  })
}

const writeAttributes = (writer: ProtobufWriter, field: number, attributes: readonly Attribute[]): void => {
  for (let index = attributes.length - 1; index >= 0; index--) {
    const { key, value } = attributes[index] as Attribute
    writer.message(field, () => {
      writer.message(2, () => writeValue(writer, value))
      writer.text(1, key)
    })
  }
}

const writeEvent = (writer: ProtobufWriter, { timeUnixNano, name, attributes }: SpanEvent): void => {
  writeAttributes(writer, 3, attributes)
  writer.text(2, name)
  writer.fixed64(1, BigInt(timeUnixNano))
}

const writeSpan = (writer: ProtobufWriter, { status, ...span }: Span): void => {
  writer.message(15, () => {
    if (status.code !== 0) writer.integer(3, status.code)
    if (status.message !== undefined) writer.text(2, status.message)
  })
  for (const event of (span.events ?? []).toReversed()) writer.message(11, () => writeEvent(writer, event))
  writeAttributes(writer, 9, span.attributes)
  writer.fixed64(8, BigInt(span.endTimeUnixNano))
  writer.fixed64(7, BigInt(span.startTimeUnixNano))
  writer.integer(6, span.kind)
  writer.text(5, span.name)
  if (span.parentSpanId !== undefined) writer.hex(4, span.parentSpanId)
  writer.hex(2, span.spanId)
  writer.hex(1, span.traceId)
}

const written = (write: (writer: ProtobufWriter) => void): Uint8Array => {
  const writer = new ProtobufWriter()
  write(writer)
  return writer.finish()
}

const writeRequest = (
  writer: ProtobufWriter,
  resource: readonly Attribute[],
  scope: Scope | undefined,
  spans: readonly Uint8Array[]
): void =>
  writer.message(1, () => {
    if (scope !== undefined)
      writer.message(2, () => {
        for (let index = spans.length - 1; index >= 0; index--) writer.bytes(2, spans[index] as Uint8Array)
        writer.message(1, () => writer.text(1, scope.name))
      })
    writer.message(1, () => writeAttributes(writer, 1, resource))
  })

export const protobufEncoding: SpanEncoding = {
  contentType: "application/x-protobuf",
  encode: (span) => written((writer) => writeSpan(writer, span)),
  /** Of one span in a list: its tag, and a length of at most 2^28. */
  overheadOfSpan: 5,
  /** The lengths of the two enclosing messages grow. */
  overheadOfJoin: 8,
  join: (resource, scope, spans) => written((writer) => writeRequest(writer, resource, scope, spans)),
  /** An intake may take an empty body for a fault: the request has a resource, and nothing in it. */
  empty: (resource) => written((writer) => writeRequest(writer, resource, undefined, []))
}
