/**
 * The tracer that an instance is watched through. Spans are the only measure that is taken of it; traces and metrics are two
 * ways to read them.
 */
import { Cause, Exit, Tracer } from "effect"
import type { Sampler } from "../config/makeSampler.ts"

/** Learns of every span, sent or not. */
export interface SpanReader {
  readonly started: (span: Tracer.Span) => void
  /** `nanos`: how long it took. */
  readonly ended: (span: Tracer.Span, nanos: bigint) => void
}

export interface SpanTracerOptions {
  /** Makes spans, and sends those that are sampled when they end. */
  readonly inner: Tracer.Tracer
  readonly sampler: Sampler
  readonly reader?: SpanReader | undefined
}

export const spanTracer = ({ inner, sampler, reader }: SpanTracerOptions): Tracer.Tracer =>
  Tracer.make({
    ...inner,
    span: (options) => {
      const span = inner.span(options)
      const begins = options.parent._tag === "None" || options.parent.value._tag === "ExternalSpan"
      const end = span.end.bind(span)
      reader?.started(span)
      return Object.assign(span, {
        ...(begins ? { sampled: sampler(span) } : {}),
        end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => {
          if (span.status._tag === "Ended") return
          reader?.ended(span, endTime - span.status.startTime)
          end(endTime, tellable(span, exit))
        }
      })
    }
  })

/**
 * How a span ended, as far as others may know: the names of what went wrong and where, as in logs. Messages repeat what was
 * submitted. A refusal that the API declares is no failure of ours.
 */
const tellable = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return Exit.void
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (failure !== undefined) {
    const name = nameOf(failure)
    span.attribute("error.type", name)
    return span.kind === "internal" ? Exit.void : Exit.die(nameless(name, []))
  }
  const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
  if (defect === undefined) return exit
  span.attribute("error.type", nameOf(defect))
  return Exit.die(nameless(nameOf(defect), defect instanceof Error ? placesOf(defect) : []))
}

/** Names in code, never what was put into a value. */
const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : typeof thrown)

/** The lines of a stack after the message, which may look like one. */
const placesOf = ({ message, stack = "" }: Error): readonly string[] =>
  stack
    .slice(stack.indexOf(message) + message.length)
    .split("\n")
    .filter((line) => /^\s+at /.test(line))

const nameless = (name: string, places: readonly string[]): Error => {
  const error = new Error("")
  error.name = name
  error.stack = [name, ...places].join("\n")
  return error
}

/** Makes spans for their reader alone. */
export const silentTracer: Tracer.Tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
