import type { Attribute, Span } from "./Span.ts"

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
