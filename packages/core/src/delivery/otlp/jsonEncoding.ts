import type { SpanEncoding } from "./SpanEncoding.ts"
import { joinBytes } from "../../value/joinBytes.ts"

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

/**
 * OTLP's JSON encoding.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export const jsonEncoding: SpanEncoding = {
  contentType: "application/json",
  encode: (span) => utf8.encode(JSON.stringify(span)),
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
