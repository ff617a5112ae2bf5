/** A log entry. It never repeats submitted data. */
export interface LogEntry {
  /** `debug` entries are never passed on. */
  readonly level: "debug" | "info" | "warn" | "error"
  /** What happened: a fixed text, so that logs can be searched. */
  readonly message: string
  /** Details: ids, counts, names of errors. */
  readonly fields: Readonly<Record<string, unknown>>
  /** When, by the clock of this process. */
  readonly time: Date
}

/** Gets every entry from `info` on, in order. Its errors are ignored, so that a logger cannot fail a request. */
export type HostLog = (entry: LogEntry) => void
