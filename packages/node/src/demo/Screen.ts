/** What the demonstration shows: acts, tables, claims with a tick or a cross. Colours on a terminal alone. */
import { columns } from "../cli/columns.ts"

export interface Claim {
  readonly act: string
  readonly claim: string
  readonly holds: boolean
  /** What was measured. */
  readonly seen: string
}

export interface Screen {
  readonly act: (title: string, about: string) => void
  readonly say: (text: string) => void
  readonly table: (head: readonly string[], rows: readonly (readonly string[])[]) => void
  readonly code: (text: string) => void
  readonly claim: (claim: string, holds: boolean, seen: string) => void
  readonly claims: () => readonly Claim[]
}

export interface ScreenOptions {
  readonly write: (text: string) => void
  readonly color: boolean
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const

export const makeScreen = ({ write, color }: ScreenOptions): Screen => {
  const claims: Claim[] = []
  let current = ""
  const paint = (style: keyof typeof styles, text: string): string =>
    color ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ")
  return {
    act: (title, about) => {
      current = title
      write(`\n${paint("bold", paint("cyan", title))}\n${paint("dim", about)}\n\n`)
    },
    say: (text) => write(`${indented(text)}\n`),
    table: (head, rows) => {
      const [first = "", ...rest] = columns([head, ...rows]).split("\n")
      write(`${paint("dim", indented(first))}\n${indented(rest.join("\n"))}\n`)
    },
    code: (text) => write(`${paint("dim", indented(text.trimEnd()))}\n`),
    claim: (claim, holds, seen) => {
      claims.push({ act: current, claim, holds, seen })
      const mark = holds ? paint("green", "✓") : paint("red", "✗")
      write(`  ${mark} ${claim} ${paint("dim", `· ${seen}`)}\n`)
    },
    claims: () => claims
  }
}
