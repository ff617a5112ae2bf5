import { Context, Option, Tracer } from "effect"

/** The caller's `tracestate`, kept on the span that stands for the caller and handed on as it came. */
export const TraceState = Context.Reference<string | undefined>("gatewarden/TraceState", {
  defaultValue: () => undefined
})

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const zeros = /^0+$/

const maxStateLength = 512
const statePattern = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

/**
 * Reads the caller's span from the headers of a request.
 *
 * Source: W3C Trace Context, 3.2 and 3.3: later versions are read as far as this one goes; what is malformed counts as absent.
 */
export const readTraceContext = (
  headers: Readonly<Record<string, string | undefined>>
): Tracer.ExternalSpan | undefined => {
  const parent = parentPattern.exec(headers["traceparent"]?.trim() ?? "")
  if (parent === null) return undefined
  const [, version = "", traceId = "", spanId = "", flags = "", more] = parent
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined
  const state = readState(headers["tracestate"])
  return Tracer.externalSpan({
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    ...(state === undefined ? {} : { annotations: Context.make(TraceState, state) })
  })
}

const readState = (sent: string | undefined): string | undefined => {
  if (sent === undefined || sent.length > maxStateLength) return undefined
  const members = sent
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "")
  const isWellFormed =
    members.length > 0 && members.length <= 32 && members.every((member) => statePattern.test(member))
  return isWellFormed ? members.join(",") : undefined
}

/** The trace headers of an outgoing request. Source: W3C Trace Context, 3.2 and 3.3. */
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
