/** What the doctor finds, and what to do about it. */
import { type Fault, faults } from "../failure/exitCode.ts"
import type { Failed } from "../failure/Failed.ts"

export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string
  readonly state: "ok" | "warn" | "fail"
  readonly detail: string
  /** A command or a setting that mends it; null where nothing has to be mended. */
  readonly mend: string | null
  /** With which exit code `gatewarden doctor` and a command that meets the fault end; null where nothing fails. */
  readonly exit_code: Failed["exitCode"] | null
}

export const fine = (check: string, detail: string): Finding => ({
  check,
  state: "ok",
  detail,
  mend: null,
  exit_code: null
})

export const warning = (check: string, detail: string, mend: string): Finding => ({
  check,
  state: "warn",
  detail,
  mend,
  exit_code: null
})

export const failure = (check: string, detail: string, mend: string, fault: Fault = "failure"): Finding => ({
  check,
  state: "fail",
  detail,
  mend,
  exit_code: faults[fault].code
})
