/** Why a command or a server ended, in lines for a human, without secrets. */
import { describeRefusal } from "@gatewarden/postgres/internal"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import { exitCode, type ExitCode, faults } from "../failure/exitCode.ts"
import { Failed } from "../failure/Failed.ts"

/** Says it, and answers the exit code. */
export const explainFailure = (cause: Cause.Cause<unknown>, say: (line: string) => void): ExitCode => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (error instanceof Failed) {
    for (const line of error.lines) say(line)
    return error.exitCode
  }
  if (Cause.hasInterruptsOnly(cause)) return faults.interrupted.code
  const defect = error ?? cause.reasons.find(Cause.isDieReason)?.defect
  say(`unexpected failure: ${describeDefect(defect)}`)
  return exitCode.failure
}

const describeDefect = (defect: unknown): string => {
  if (SqlError.isSqlError(defect)) return `the database refused a statement: ${describeRefusal(defect)}`
  return defect instanceof Error ? `${defect.name}: ${defect.message}` : "of unknown kind"
}
