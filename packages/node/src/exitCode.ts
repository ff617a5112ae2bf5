/** Exit codes of the command, after sysexits(3): scripts and supervisors tell by them what to do next. */
export const exitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  unavailable: 69,
  temporary: 75,
  configuration: 78
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Documented in docs/reference/commands.md. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCode, string>> = {
  ok: "done",
  failure: "failed, or done in part; stderr has the reason",
  usage: "the command line is wrong; stderr names the fault",
  unavailable: "a database, an address or another service does not answer; try again later",
  temporary: "another process holds the data, the command was interrupted, or the disk is full; try again",
  configuration: "the configuration must be changed first; stderr names the variable"
}
