/** Logs on stderr: readable on a terminal, one JSON object a line otherwise. Source: decisions 1. */
import { Cause, Context, Layer, Logger, type LogLevel, References, Tracer } from "effect"
import type { Values } from "../config/variables.ts"

const levels: Record<Values["GATEWARDEN_LOG_LEVEL"], LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
}

type Fields = Record<string, unknown>

const isFields = (part: unknown): part is Fields =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** By which a line is found beside its trace. */
const traceOf = (context: Context.Context<never>): Fields => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span === undefined || span.spanId === "noop" ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** Texts of a message become `message`, plain objects in it become fields of the line. */
const jsonLines = (write: (line: string) => void) =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const parts: readonly unknown[] = Array.isArray(message) ? message : [message]
    const fields: Fields = { ...fiber.getRef(References.CurrentLogAnnotations), ...traceOf(fiber.context) }
    for (const part of parts) if (isFields(part)) Object.assign(fields, part)
    write(
      `${JSON.stringify(
        {
          ...fields,
          time: date.toISOString(),
          level: logLevel.toLowerCase(),
          message: parts.filter((part) => !isFields(part)).join(" "),
          ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
        },
        (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)
      )}\n`
    )
  })

export const layerLogs = (
  level: Values["GATEWARDEN_LOG_LEVEL"],
  stderr: NodeJS.WriteStream = process.stderr
): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([stderr.isTTY ? Logger.consolePretty({ mode: "tty" }) : jsonLines((line) => stderr.write(line))]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, levels[level])
  )
