/** Exit codes of the command, after sysexits(3), and the faults that have them: scripts and supervisors decide by the code what to do next. */
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

/**
 * Every fault that ends a command or a start, with its code. `failed` takes the name of a fault and no code, so a fault has the same code
 * whichever command meets it. Documented in docs/reference/commands.md.
 */
export const faults = {
  usage: {
    code: exitCode.usage,
    meaning: "The command or a flag is unknown, an argument is missing, or a value is none that its flag takes."
  },
  unavailable: {
    code: exitCode.unavailable,
    meaning: "The database, or the bucket of files, does not answer, refuses the user or takes no writes."
  },
  address: {
    code: exitCode.unavailable,
    meaning: "Another program listens on the address, or it is none of this machine."
  },
  busy: {
    code: exitCode.temporary,
    meaning:
      "Another process holds the data directory, migrates the database, encrypts with an older keyring or does not answer in time."
  },
  interrupted: { code: exitCode.temporary, meaning: "The command was told to stop before it was done." },
  disk_full: {
    code: exitCode.temporary,
    meaning: "The disk of a file, of the data directory or of the database is full."
  },
  configuration: {
    code: exitCode.configuration,
    meaning: "A variable is missing or has a value that it cannot have, or Node is too old."
  },
  keyring: {
    code: exitCode.configuration,
    meaning: "The keyring is missing or unusable, or it does not decrypt what is stored or backed up."
  },
  store: {
    code: exitCode.configuration,
    meaning: "The command cannot work on the kind of store that `DATABASE_URL` names."
  },
  schema: {
    code: exitCode.configuration,
    meaning:
      "The schema, or that of a backup, is of another version or was changed, or the database lacks the row-level security that the configuration relies on."
  },
  directory: {
    code: exitCode.configuration,
    meaning: "The data directory cannot be made or written, or its installation was moved."
  },
  missing: {
    code: exitCode.failure,
    meaning: "An account, a workspace, a key or another thing that the command line names does not exist."
  },
  file: {
    code: exitCode.failure,
    meaning: "A file that the command line names cannot be read or written, is damaged, or exists already."
  },
  failure: { code: exitCode.failure, meaning: "Anything else, such as a check that fails or records that are refused." }
} as const satisfies Readonly<Record<string, { readonly code: Exclude<ExitCode, 0>; readonly meaning: string }>>

export type Fault = keyof typeof faults
