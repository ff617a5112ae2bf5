/** The trace headers of an outgoing request. Source: W3C Trace Context, 3.2 and 3.3. */
import { Context, Option, type Tracer } from "effect"
import { TraceState } from "./TraceState.ts"

export const traceHeaders = (span: Tracer.Span): Readonly<Record<string, string>> => {
  const state = stateOf(span)
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`,
    ...(state === undefined ? {} : { tracestate: state })
  }
}

const stateOf = (span: Tracer.AnySpan): string | undefined => {
  if (span._tag === "ExternalSpan") return Context.get(span.annotations, TraceState)
  return Option.match(span.parent, { onNone: () => undefined, onSome: stateOf })
}
