/** A host's OpenTelemetry: its API with a recording tracer behind it, and the active span kept along asynchronous calls. */
import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
  type Tracer
} from "@opentelemetry/api"
import { AsyncLocalStorage } from "node:async_hooks"

export interface TelemetrySpan {
  readonly scope: string
  readonly name: string
  readonly context: SpanContext
  readonly parent: SpanContext | undefined
  readonly options: SpanOptions
  readonly attributes: Record<string, unknown>
  readonly events: readonly unknown[]
  status: unknown
  ended: number
}

class AsyncContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active() {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }
  with: ContextManager["with"] = (active, run, self, ...args) =>
    this.#storage.run(active, () => run.call(self as ThisParameterType<typeof run>, ...args))
  bind<T>(_: Context, target: T) {
    return target
  }
  enable() {
    return this
  }
  disable() {
    return this
  }
}

const hexadecimal = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex")

/** Registers it for this process, and answers every span that was started. */
export const registerTelemetry = (): readonly TelemetrySpan[] => {
  const spans: TelemetrySpan[] = []
  const startSpan = (scope: string, name: string, options: SpanOptions = {}, active = context.active()): Span => {
    const parent = options.root ? undefined : trace.getSpanContext(active)
    const recorded: TelemetrySpan = {
      scope,
      name,
      parent,
      context: { traceId: parent?.traceId ?? hexadecimal(16), spanId: hexadecimal(8), traceFlags: 1 },
      options,
      attributes: {},
      events: [],
      status: undefined,
      ended: 0
    }
    spans.push(recorded)
    const span: Span = {
      spanContext: () => recorded.context,
      setAttribute: (key, value) => ((recorded.attributes[key] = value), span),
      setAttributes: (attributes) => (Object.assign(recorded.attributes, attributes), span),
      addEvent: (...event) => ((recorded.events as unknown[]).push(event), span),
      addLink: () => span,
      addLinks: () => span,
      setStatus: (status) => ((recorded.status = status), span),
      updateName: () => span,
      end: () => void recorded.ended++,
      isRecording: () => true,
      recordException: () => {}
    }
    return span
  }
  const tracerOf = (scope: string): Tracer => ({
    startSpan: (name, options, active) => startSpan(scope, name, options, active),
    startActiveSpan: (name: string, ...rest: readonly unknown[]) => {
      const run = rest.at(-1) as (span: Span) => never
      const span = startSpan(scope, name)
      return context.with(trace.setSpan(context.active(), span), () => run(span))
    }
  })
  context.setGlobalContextManager(new AsyncContextManager())
  trace.setGlobalTracerProvider({ getTracer: tracerOf })
  return spans
}
