/**
 * Spans in the shape of OTLP's JSON: ids in hexadecimal, 64-bit integers as decimal strings, absent fields absent.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
import { wellFormed, withoutTrailingSlashes } from "../../value/text.ts"

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

export interface Scope {
  readonly name: string
}

/** How spans become the body of a request. Spans are encoded one by one, so that their sizes are known before they are joined. */
export interface SpanEncoding {
  readonly contentType: string
  readonly encode: (span: Span) => Uint8Array
  /** The most bytes that a body has for each span beside its own. */
  readonly overheadOfSpan: number
  /** The most bytes that a body with spans has beside them and their overhead, compared with one without. */
  readonly overheadOfJoin: number
  /** One resource with one scope, which holds the spans. */
  readonly join: (resource: readonly Attribute[], scope: Scope, spans: readonly Uint8Array[]) => Uint8Array
  /** A request without spans. */
  readonly empty: (resource: readonly Attribute[]) => Uint8Array
}

/** The address of a path below a base, which may end with slashes, or with the beginning of the path. */
export const below = (base: string, path: string): string => {
  const root = withoutTrailingSlashes(base)
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1))
    if (root.endsWith(path.slice(0, at))) return root + path.slice(at)
  return root + path
}

/** Without half a surrogate pair at the end. */
const cut = (value: string, longest: number): string =>
  value.length <= longest ? value : value.slice(0, longest).replace(/[\ud800-\udbff]$/, "")

/** The longest name of an attribute that any of the platforms keeps. */
const longestKey = 255

/** More would be tags of classifiers, whose number nothing bounds. */
const mostAttributes = 200

/** Cuts names and values to what a platform keeps, so that it does not drop the span for them. */
export const bounded = (attributes: readonly Attribute[], longest: number): readonly Attribute[] =>
  attributes.slice(0, mostAttributes).map(({ key, value }) => ({
    key: cut(key, longestKey),
    value:
      "stringValue" in value
        ? { stringValue: cut(value.stringValue, longest) }
        : "arrayValue" in value
          ? {
              arrayValue: {
                values: value.arrayValue.values
                  .slice(0, 64)
                  .map(({ stringValue }) => ({ stringValue: cut(stringValue, longest) }))
              }
            }
          : value
  }))
