/** A log message in its parts: texts are the message; plain objects, annotations and the span at hand are fields. */
import { Context, type Fiber, References, Tracer } from "effect"
import { isTraced } from "../tracing/operation.ts"

export type LogFields = Record<string, unknown>

const isFields = (part: unknown): part is LogFields =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** The ids by which a log line is found for a trace. */
const traceOf = (context: Context.Context<never>): LogFields => {
  const span = isTraced(context) ? Context.getOrUndefined(context, Tracer.ParentSpan) : undefined
  return span === undefined || span.spanId === "noop" ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

export const logParts = ({
  fiber,
  message
}: {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly message: unknown
}): { readonly message: string; readonly fields: LogFields } => {
  const parts: readonly unknown[] = Array.isArray(message) ? message : [message]
  const fields: LogFields = { ...fiber.getRef(References.CurrentLogAnnotations), ...traceOf(fiber.context) }
  for (const part of parts) if (isFields(part)) Object.assign(fields, part)
  return { message: parts.filter((part) => !isFields(part)).join(" "), fields }
}
