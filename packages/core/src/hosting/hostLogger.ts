import { Cause, Logger, type LogLevel } from "effect"
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

/** Names without messages: those of parsers and databases repeat what was submitted. */
const namesOf = (cause: Cause.Cause<unknown>): readonly string[] =>
  cause.reasons.map((reason) => {
    const error: unknown = Cause.isFailReason(reason)
      ? reason.error
      : Cause.isDieReason(reason)
        ? reason.defect
        : undefined
    return error instanceof Error ? error.name : reason._tag
  })

/** A host's own function as a logger. Where it throws, or what it answers rejects, the entry is lost and nothing else. */
export const hostLogger = (log: HostLog): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const parts = logParts({ fiber, message })
    const fields = cause.reasons.length === 0 ? parts.fields : { ...parts.fields, cause: namesOf(cause) }
    try {
      const logged: unknown = log({ level: levels[logLevel], message: parts.message, fields, time: date })
      // A rejection that nobody handles would end the host's process.
      if (logged instanceof Promise) logged.catch(() => {})
    } catch {
      // The host's logger is the only place where this could be told.
    }
  })
