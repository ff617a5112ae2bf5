/** A cell of CSV (RFC 4180 2). One with spaces at its ends is quoted, too: some readers trim others. */
export const csvCell = (cell: string): string =>
  /^\s|[",\r\n]|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
