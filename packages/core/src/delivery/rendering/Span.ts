/**
 * Spans in the shape of OTLP's JSON: ids in hexadecimal, 64-bit integers as decimal strings, absent fields absent.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
import { wellFormed } from "../../value/wellFormed.ts"

export type AttributeValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } }

export interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

/** Something that happened during a span. */
export interface SpanEvent {
  readonly timeUnixNano: string
  readonly name: string
  readonly attributes: readonly Attribute[]
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** SPAN_KIND_INTERNAL, SPAN_KIND_CLIENT. */
  readonly kind: 1 | 3
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly events?: readonly SpanEvent[]
  /** STATUS_CODE_UNSET, STATUS_CODE_ERROR: an instrumentation leaves success unset. */
  readonly status: { readonly code: 0 | 2; readonly message?: string }
}

/** Half of a surrogate pair has no UTF-8: decoders of protobuf refuse the whole request. */
export const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: wellFormed(value) } })

export const flag = (key: string, value: boolean): Attribute => ({ key, value: { boolValue: value } })

/** A whole number; `value` is a safe integer. */
export const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } })

export const decimal = (key: string, value: number): Attribute => ({ key, value: { doubleValue: value } })

export const texts = (key: string, values: readonly string[]): Attribute => ({
  key,
  value: { arrayValue: { values: values.map((value) => ({ stringValue: wellFormed(value) })) } }
})

const none: readonly Attribute[] = []

/** Without attributes for what is not known. */
export const known = <Value>(
  attribute: (key: string, value: Value) => Attribute,
  key: string,
  value: Value | null | undefined
): readonly Attribute[] => (value === null || value === undefined ? none : [attribute(key, value)])

/** The same, behind others: a span has dozens, and a list for each costs more than the attribute. */
export const addKnown = <Value>(
  into: Attribute[],
  attribute: (key: string, value: Value) => Attribute,
  key: string,
  value: Value | null | undefined
): void => {
  if (value !== null && value !== undefined) into.push(attribute(key, value))
}

/** An attribute for any JSON value: numbers, texts and booleans as such, objects and lists as JSON text. */
export const anyValue = (key: string, value: unknown): readonly Attribute[] => {
  const name = wellFormed(key)
  if (typeof value === "string") return [text(name, value)]
  if (typeof value === "boolean") return [flag(name, value)]
  if (typeof value === "number" && Number.isFinite(value))
    return [Number.isSafeInteger(value) ? whole(name, value) : decimal(name, value)]
  const json = value === null ? undefined : JSON.stringify(value)
  return json === undefined ? [] : [text(name, json)]
}
