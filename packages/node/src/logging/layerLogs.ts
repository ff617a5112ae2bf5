/** Logs on stderr, a line each: for reading on a terminal, as a JSON object otherwise. Rule: operating#first-line. */
import { logParts } from "@gatewarden/core/internal"
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

const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

/** What needs no quotes to be told from what stands around it. */
const plain = /^[\w./:@+-]+$/

const printed = (value: unknown): string =>
  typeof value === "string" && plain.test(value) ? value : (JSON.stringify(value, asText) ?? "undefined")

const colours: Partial<Record<LogLevel.LogLevel, number>> = { Info: 32, Warn: 33, Error: 31, Fatal: 31 }

/** `12:00:00.000 INFO Applied migrations count=36 last=list_counts`; a cause follows in lines of its own. */
const terminalLines = (write: (line: string) => void, isColoured: boolean) => {
  const coloured = (code: number, text: string) => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text)
  return Logger.make(({ cause, date, fiber, logLevel, message: logged }) => {
    const { message, fields } = logParts({ fiber, message: logged })
    const words = [
      coloured(90, date.toISOString().slice(11, 23)),
      coloured(colours[logLevel] ?? 90, logLevel.toUpperCase()),
      message,
      ...Object.entries(fields).map(([name, value]) => `${coloured(90, `${name}=`)}${printed(value)}`)
    ]
    const trace = cause.reasons.length === 0 ? "" : `\n${Cause.pretty(cause)}`
    write(`${words.join(" ")}${trace}\n`)
  })
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
        asText
      )}\n`
    )
  })

export const layerLogs = (
  level: Values["GATEWARDEN_LOG_LEVEL"],
  stderr: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr
): Layer.Layer<never> => {
  const write = (line: string) => void stderr.write(line)
  return Layer.mergeAll(
    Logger.layer([stderr.isTTY ? terminalLines(write, !process.env["NO_COLOR"]) : jsonLines(write)]),
    Layer.succeed(References.MinimumLogLevel, levels[level])
  )
}
