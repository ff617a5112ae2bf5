/** Which traces are sent. Source: OpenTelemetry, Trace SDK, Sampler. */
import { Option, type Tracer } from "effect"

/** Whether the span that begins a trace in this process is sent. Those below it follow. Ids are made when they are asked for. */
export type Sampler = (span: Pick<Tracer.Span, "traceId" | "parent">) => boolean

export const defaultSampler = "parentbased_always_on"

/** Undefined for a name that is none. `ratio`: from 0 to 1. */
export const makeSampler = (name: string, ratio: number): Sampler | undefined => {
  const root = rootSampler(name.replace(/^parentbased_/, ""), ratio)
  if (root === undefined || !name.startsWith("parentbased_")) return root
  return (span) => Option.match(span.parent, { onNone: () => root(span), onSome: ({ sampled }) => sampled })
}

const rootSampler = (name: string, ratio: number): Sampler | undefined => {
  if (name === "always_on") return () => true
  if (name === "always_off") return () => false
  if (name !== "traceidratio") return undefined
  // The last 56 bits of an id are random (W3C Trace Context 2), so that processes agree about a trace.
  const bound = BigInt(Math.round(ratio * 2 ** 56))
  return ({ traceId }) => BigInt(`0x${traceId.slice(-14)}`) < bound
}
