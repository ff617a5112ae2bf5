/** The commands that a page of the documentation shows, and what it shows of their output. */

/** A block that a reader runs. */
export interface Step {
  readonly language: "sh" | "python" | "ts"
  readonly code: string
  /** The `json` or `text` block that follows: a part of what the code prints. */
  readonly shown: { readonly language: "json" | "text"; readonly text: string } | undefined
}

export interface Page {
  /** Blocks that start a server: `npm start` and `npm run gateway` with their variables. */
  readonly starts: readonly {
    readonly program: "server" | "gateway"
    readonly variables: Readonly<Record<string, string>>
  }[]
  readonly steps: readonly Step[]
}

const starting = /\bnpm (?:ci|install|start|run gateway)\b/
const run = new Set(["sh", "python", "ts"])

/** The variables that a command sets for the process that it starts: `NAME=value npm start`. */
const variablesOf = (command: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(command.matchAll(/\b([A-Z][A-Z_0-9]*)=(\S+)/g), ([, name = "", value = ""]) => [name, value])
  )

/** Blocks after a comment `<!-- not run: reason -->` are left out. */
export const readPage = (markdown: string): Page => {
  const starts: Page["starts"][number][] = []
  const steps: Step[] = []
  let before: { readonly shows: boolean } | undefined
  for (const [, reason, language = "", code = ""] of markdown.matchAll(
    /(<!-- not run: [^>]*-->\n+)?^```(\w*)\n([^]*?)^```$/gm
  )) {
    const shows = before?.shows === true && (language === "json" || language === "text")
    before = undefined
    if (reason !== undefined) continue
    if (shows) {
      const last = steps.pop()
      if (last !== undefined) steps.push({ ...last, shown: { language: language as "json" | "text", text: code } })
    } else if (language === "sh" && starting.test(code)) {
      for (const line of code.split("\n"))
        if (/\bnpm (?:start|run gateway)\b/.test(line))
          starts.push({ program: line.includes("npm start") ? "server" : "gateway", variables: variablesOf(line) })
    } else if (run.has(language)) {
      steps.push({ language: language as Step["language"], code, shown: undefined })
      before = { shows: true }
    }
  }
  return { starts, steps }
}
