/** What the demonstration shows: acts, tables, claims with a tick or a cross. Colours and moving lines on a terminal alone. */
import { layoutTable, wrap, wrapIndented } from "./layout.ts"

export interface Claim {
  readonly act: string
  readonly claim: string
  readonly holds: boolean
  /** What was measured. */
  readonly seen: string
}

/** `good` is what a guarded installation does, `bad` what it prevents or refuses; the rest says nothing of the kind. */
export type Tone = "good" | "bad" | "plain"

export type Cell = string | { readonly text: string; readonly tone: Tone }

export interface Screen {
  readonly act: (title: string, about: string) => void
  readonly say: (text: string) => void
  readonly table: (head: readonly string[], rows: readonly (readonly Cell[])[]) => void
  readonly code: (text: string) => void
  /** What is waited for. On a terminal each replaces the one before; elsewhere only the first is written. */
  readonly progress: (text: string) => void
  readonly claim: (claim: string, holds: boolean, seen: string) => void
  readonly claims: () => readonly Claim[]
}

export interface ScreenOptions {
  readonly write: (text: string) => void
  readonly color: boolean
  /** Columns of the terminal, or of what stands for one. */
  readonly width: number
  /** Whether a line that was written can be replaced. */
  readonly live: boolean
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const
const toneStyles = { good: "green", bad: "red" } as const

const textOf = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text)
const toneOf = (cell: Cell | undefined): Tone => (cell === undefined || typeof cell === "string" ? "plain" : cell.tone)

const margin = "    "

export const makeScreen = ({ write, color, width, live }: ScreenOptions): Screen => {
  const claims: Claim[] = []
  let current = ""
  /** What a line that is to be replaced takes up; 0: there is none. */
  let pending = 0
  let isWaiting = false
  const paint = (style: keyof typeof styles, text: string): string =>
    color ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
  const toned = (tone: Tone, text: string): string => (tone === "plain" ? text : paint(toneStyles[tone], text))
  const clear = (): string => {
    const erased = pending === 0 ? "" : `\r${" ".repeat(pending)}\r`
    pending = 0
    return erased
  }
  const put = (text: string): void => {
    isWaiting = false
    write(`${clear()}${text}\n`)
  }
  const paragraph = (text: string, indent: string, hanging = ""): string =>
    text
      .split("\n")
      .map((line) => (line === "" ? "" : wrapIndented(line, width, indent, hanging)))
      .join("\n")
  return {
    act: (title, about) => {
      current = title
      put(`\n${paint("bold", paint("cyan", title))}\n${paint("dim", paragraph(about, ""))}\n`)
    },
    say: (text) => put(paragraph(text, margin)),
    table: (head, rows) => {
      const texts = [head, ...rows.map((row) => row.map(textOf))]
      const shown = layoutTable(texts, width - margin.length, (text, row, column) =>
        row === 0 ? paint("dim", text) : toned(toneOf(rows[row - 1]?.[column]), text)
      )
      put(shown.replace(/^(?=.)/gm, margin))
    },
    code: (text) => {
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line) => {
          const indent = /^ */.exec(line)?.[0] ?? ""
          return line === "" ? "" : wrapIndented(line.trimStart(), width, margin + indent, "  ")
        })
      put(paint("dim", lines.join("\n")))
    },
    progress: (text) => {
      if (!live) {
        if (!isWaiting) put(paragraph(text, margin))
        isWaiting = true
        return
      }
      const [line = ""] = wrap(text, width - margin.length - 1)
      write(`${clear()}${margin}${paint("dim", line)}`)
      pending = margin.length + line.length
    },
    claim: (claim, holds, seen) => {
      claims.push({ act: current, claim, holds, seen })
      const mark = holds ? paint("green", "✓") : paint("red", "✗")
      const said = holds ? claim : paint("red", claim)
      const short = `  ✓ ${claim} · ${seen}`.length <= width
      if (short) return put(`  ${mark} ${said} ${paint("dim", `· ${seen}`)}`)
      const [first = "", ...rest] = wrap(claim, width - margin.length)
      put(
        [
          `  ${mark} ${holds ? first : paint("red", first)}`,
          ...rest.map((line) => margin + (holds ? line : paint("red", line))),
          paint("dim", wrapIndented(`· ${seen}`, width, margin, "  "))
        ].join("\n")
      )
    },
    claims: () => claims
  }
}
