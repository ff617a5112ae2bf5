/** What the doctor finds, and what to do about it. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string
  readonly state: "ok" | "warn" | "fail"
  readonly detail: string
  /** A command or a setting that mends it; null where nothing has to be mended. */
  readonly mend: string | null
}

export const fine = (check: string, detail: string): Finding => ({ check, state: "ok", detail, mend: null })

export const warning = (check: string, detail: string, mend: string): Finding => ({
  check,
  state: "warn",
  detail,
  mend
})

export const failure = (check: string, detail: string, mend: string): Finding => ({
  check,
  state: "fail",
  detail,
  mend
})
