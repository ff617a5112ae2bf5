/** One thing that was logged. Nothing in it repeats what was submitted. */
export interface LogEntry {
  /** `debug` entries are never passed on. */
  readonly level: "debug" | "info" | "warn" | "error"
  /** What happened: a fixed text, for a search in the log. */
  readonly message: string
  /** What it happened to: ids, counts, names of errors. */
  readonly fields: Readonly<Record<string, unknown>>
  /** When, by the clock of this process. */
  readonly time: Date
}

/** Gets every entry from `info` on, in order. What it throws is lost, so that no log can fail a request. */
export type HostLog = (entry: LogEntry) => void
