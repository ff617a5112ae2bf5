/** What steers a terminal, ends a line or turns the order of what is read. A tenant may have written it. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** On one line, with nothing that a terminal obeys. */
export const printable = (text: string): string => text.replace(unprintable, " ")

/** Aligns columns, except the last one, which is not padded. Each row is one line. */
export const columns = (cells: readonly (readonly string[])[]): string => {
  const rows = cells.map((row) => row.map((cell) => printable(cell)))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ")
    )
    .join("\n")
}
