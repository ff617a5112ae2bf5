/** One thing that was logged. Nothing in it repeats what was submitted. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly time: Date
}

export type HostLog = (entry: LogEntry) => void
