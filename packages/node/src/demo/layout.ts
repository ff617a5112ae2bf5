/** Text that fits the width of a terminal: lines break between words, never inside one. Pure. */

/** Where a line may break: after a space, or after a comma of a list without spaces. */
const pieces = (text: string): readonly string[] => text.match(/[^\s,]+,?\s*|,\s*|\s+/g) ?? []

/** Lines of at most `width` characters; a word that is longer has a line of its own. Outer spaces of lines are dropped. */
export const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = []
  let line = ""
  for (const piece of pieces(text)) {
    if (line !== "" && (line + piece).trimEnd().length > width) {
      lines.push(line.trimEnd())
      line = ""
    }
    line += line === "" ? piece.trimStart() : piece
  }
  return [...lines, line.trimEnd()]
}

/** The same with `indent` before each line, and `hanging` more before all but the first. */
export const wrapIndented = (text: string, width: number, indent: string, hanging = ""): string => {
  const [first = "", ...rest] = wrap(text, width - indent.length - hanging.length)
  return [indent + first, ...rest.map((line) => indent + hanging + line)].join("\n")
}

const longestWord = (text: string): number => Math.max(0, ...pieces(text).map((piece) => piece.trimEnd().length))

const gap = "  "

/** Widths of columns that fit together; undefined when even their longest words do not. */
const widthsOf = (rows: readonly (readonly string[])[], width: number): readonly number[] | undefined => {
  const columns = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, at) =>
    rows.map((row) => row[at] ?? "")
  )
  const least = columns.map((cells) => Math.max(...cells.map(longestWord)))
  const widths = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)))
  const room = width - gap.length * (columns.length - 1)
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = widths
      .map((each, at) => ({ at, each, spare: each - (least[at] ?? 0) }))
      .filter(({ spare }) => spare > 0)
      .sort((a, b) => b.each - a.each)[0]
    if (widest === undefined) return undefined
    widths[widest.at] = widest.each - 1
  }
  return widths
}

/** What a cell's text is shown as, once its place is known. */
export type Paint = (text: string, row: number, column: number) => string

const asTable = (rows: readonly (readonly string[])[], widths: readonly number[], paint: Paint): string =>
  rows
    .flatMap((row, at) => {
      const cells = widths.map((width, column) => wrap(row[column] ?? "", width))
      return Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, line) =>
        cells
          .map((lines, column) => {
            const text = lines[line] ?? ""
            const rest = " ".repeat(Math.max(0, (widths[column] ?? 0) - text.length))
            return (text === "" ? "" : paint(text, at, column)) + rest
          })
          .join(gap)
          .trimEnd()
      )
    })
    .join("\n")

/** Each row as lines of `name: value`, for what is too wide to stand side by side. */
const asList = (rows: readonly (readonly string[])[], width: number, paint: Paint): string => {
  const [head = [], ...body] = rows
  return body
    .map((row, at) =>
      row
        .flatMap((cell, column) => {
          if (cell === "") return []
          const name = head[column] === undefined || head[column] === "" ? "" : `${head[column]}: `
          return wrap(name + cell, width).map((line) => paint(line, at + 1, column))
        })
        .join("\n")
    )
    .join("\n\n")
}

/** Columns side by side, their cells wrapped; a list where they cannot be. The first row is the head. */
export const layoutTable = (rows: readonly (readonly string[])[], width: number, paint: Paint): string => {
  const widths = widthsOf(rows, width)
  return widths === undefined ? asList(rows, width, paint) : asTable(rows, widths, paint)
}
