import { Cause, type LogLevel, Logger } from "effect"
import { logParts } from "../platform/logParts.ts"
import type { HostLog, LogEntry } from "./LogEntry.ts"

const levels: Readonly<Record<LogLevel.LogLevel, LogEntry["level"]>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
  None: "debug"
}

/** Names without messages, because messages of parsers and databases repeat submitted data. */
const namesOf = (cause: Cause.Cause<unknown>): readonly string[] =>
  cause.reasons.map((reason) => {
    const error: unknown = Cause.isFailReason(reason)
      ? reason.error
      : Cause.isDieReason(reason)
        ? reason.defect
        : undefined
    return error instanceof Error ? error.name : reason._tag
  })

/** A host's function as a logger. If it throws or rejects, only the entry is lost. */
export const hostLogger = (log: HostLog): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const parts = logParts({ fiber, message })
    const fields = cause.reasons.length === 0 ? parts.fields : { ...parts.fields, cause: namesOf(cause) }
    try {
      const logged: unknown = log({ level: levels[logLevel], message: parts.message, fields, time: date })
      // An unhandled rejection would end the host's process.
      if (logged instanceof Promise) logged.catch(() => {})
    } catch {
      // The host's logger is the only place to report this, and it failed.
    }
  })
