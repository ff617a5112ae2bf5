/** One thing that was logged. Nothing in it repeats what was submitted. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly time: Date
}

/** Gets every entry from `info` on, in order. What it throws is lost, so that no log can fail a request. */
export type HostLog = (entry: LogEntry) => void
