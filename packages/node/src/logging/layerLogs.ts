/** Logs on stderr: readable on a terminal, one JSON object a line otherwise. Source: decisions 1. */
import { logParts } from "@gatewarden/core/effect"
import { Cause, Layer, Logger, type LogLevel, References } from "effect"
import type { Values } from "../config/variables.ts"

const levels: Record<Values["GATEWARDEN_LOG_LEVEL"], LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
}

const jsonLines = (write: (line: string) => void) =>
  Logger.make(({ cause, date, fiber, logLevel, message: logged }) => {
    const { message, fields } = logParts({ fiber, message: logged })
    write(
      `${JSON.stringify(
        {
          ...fields,
          time: date.toISOString(),
          level: logLevel.toLowerCase(),
          message,
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
