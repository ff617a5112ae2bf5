/** Why a command or a start ends without success: lines for a human, and the exit code for a script. */
import { Data } from "effect"
import { type ExitCode, type Fault, type exitCode, faults } from "./exitCode.ts"

export class Failed extends Data.TaggedError("Failed")<{
  readonly exitCode: Exclude<ExitCode, typeof exitCode.ok>
  /** One line each, without secrets. */
  readonly lines: readonly string[]
}> {
  override readonly message = this.lines.join("\n")
}

export const failed = (fault: Fault, ...lines: readonly string[]): Failed =>
  new Failed({ exitCode: faults[fault].code, lines })
