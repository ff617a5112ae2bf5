/**
 * OTLP's binary encoding: the few messages of protobuf that spans consist of. Fields are written in descending order of their numbers, so
 * that they stand in ascending order.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto (opentelemetry/proto/{collector/trace,trace,resource,common}/v1)
 */
import type { Attribute, AttributeValue, Scope, Span, SpanEncoding, SpanEvent } from "./Span.ts"

/**
 * Writes messages of protobuf from their end to their beginning: the length of an enclosed message, which stands before it, is known once it is
 * written, and no part is copied twice.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
const utf8 = new TextEncoder()

/** Wire types. */
const varintType = 0
const fixed64Type = 1
const delimitedType = 2

/** Texts up to this length are written character by character, which is faster than the encoder while they are ASCII. */
const shortText = 64

export class ProtobufWriter {
  #buffer = new Uint8Array(4096)
  /** Where what is written begins. */
  #at = this.#buffer.length

  /** Everything that was written. */
  finish(): Uint8Array {
    return this.#buffer.slice(this.#at)
  }

  /** Runs `write`, which writes the fields of a message, the last first, and encloses them. */
  message(field: number, write: () => void): void {
    const end = this.#written()
    write()
    this.#delimit(field, this.#written() - end)
  }

  bytes(field: number, content: Uint8Array): void {
    this.#reserve(content.length)
    this.#at -= content.length
    this.#buffer.set(content, this.#at)
    this.#delimit(field, content.length)
  }

  text(field: number, value: string): void {
    const length = value.length <= shortText ? this.#ascii(value) : undefined
    if (length === undefined) this.bytes(field, utf8.encode(value))
    else this.#delimit(field, length)
  }

  /** Bytes that are given in hexadecimal. */
  hex(field: number, value: string): void {
    const length = value.length / 2
    this.#reserve(length)
    for (let index = length - 1; index >= 0; index--)
      this.#buffer[--this.#at] = Number.parseInt(value.slice(index * 2, index * 2 + 2), 16)
    this.#delimit(field, length)
  }

  /** An int64 of any sign, a bool or an enum. */
  integer(field: number, value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) this.#varint(value)
    else this.#longVarint(BigInt.asUintN(64, BigInt(value)))
    this.#tag(field, varintType)
  }

  double(field: number, value: number): void {
    this.#eight((view, at) => view.setFloat64(at, value, true))
    this.#tag(field, fixed64Type)
  }

  fixed64(field: number, value: bigint): void {
    this.#eight((view, at) => view.setBigUint64(at, value, true))
    this.#tag(field, fixed64Type)
  }

  #written(): number {
    return this.#buffer.length - this.#at
  }

  #delimit(field: number, length: number): void {
    this.#varint(length)
    this.#tag(field, delimitedType)
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type)
  }

  /** `undefined`, with nothing written, for a text that is not ASCII. */
  #ascii(value: string): number | undefined {
    this.#reserve(value.length)
    const end = this.#at
    for (let index = value.length - 1; index >= 0; index--) {
      const code = value.charCodeAt(index)
      if (code > 127) {
        this.#at = end
        return undefined
      }
      this.#buffer[--this.#at] = code
    }
    return value.length
  }

  #varint(value: number): void {
    let size = 1
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
    this.#reserve(size)
    this.#at -= size
    let rest = value
    for (let index = 0; index < size; index++) {
      this.#buffer[this.#at + index] = (rest % 128) | (index === size - 1 ? 0 : 128)
      rest = Math.floor(rest / 128)
    }
  }

  #longVarint(value: bigint): void {
    const bytes: number[] = []
    for (let rest = value; rest > 0n; rest >>= 7n) bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
    this.#reserve(bytes.length)
    this.#at -= bytes.length
    this.#buffer.set(bytes, this.#at)
  }

  #eight(write: (view: DataView, at: number) => void): void {
    this.#reserve(8)
    this.#at -= 8
    write(new DataView(this.#buffer.buffer), this.#at)
  }

  /** What is written stays at the end of a larger buffer. */
  #reserve(size: number): void {
    if (this.#at >= size) return
    const written = this.#buffer.subarray(this.#at)
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, written.length + size))
    larger.set(written, larger.length - written.length)
    this.#buffer = larger
    this.#at = larger.length - written.length
  }
}

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
