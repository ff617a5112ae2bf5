/** What the pages of the reference are written with. */

export type Cells = readonly string[]

/** A code span keeps `<`; a table takes `|` for the end of a cell even there. */
const cell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")

export const table = (head: Cells, rows: readonly Cells[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n")

export const code = (text: string): string => `\`${text}\``

export const block = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``

export const page = (title: string, ...parts: readonly string[]): string =>
  `${[`# ${title}`, "<!-- Written by `npm run reference`. -->", ...parts.filter((part) => part !== "")].join("\n\n")}\n`
