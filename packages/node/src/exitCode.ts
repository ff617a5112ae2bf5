/** Exit codes of the command, after sysexits(3): scripts and supervisors tell by them what to do next. */
export const exitCode = {
  ok: 0,
  failure: 1,
  /** The command line was not understood. */
  usage: 2,
  /** Something that is needed does not answer: a database, an address. */
  unavailable: 69,
  /** Held by someone else at the moment; try again. */
  temporary: 75,
  /** The configuration has to be changed first. */
  configuration: 78
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]
