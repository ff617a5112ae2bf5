/**
 * Reads the caller's span from the headers of a request.
 *
 * Source: W3C Trace Context, 3.2 and 3.3: later versions are read as far as this one goes; what is malformed counts as absent.
 */
import { Context, Tracer } from "effect"
import { TraceState } from "./TraceState.ts"

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const zeros = /^0+$/

const maxStateLength = 512
const statePattern = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

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
