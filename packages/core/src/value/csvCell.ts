/**
 * Cells of CSV (RFC 4180 2), safe for spreadsheets, which run a text that begins with `=`, `+`, `-`, `@`, a tab or a line break as a formula
 * also where it is quoted.
 *
 * A safe cell has `'` before such a text, and before one that begins with `'` and goes on so: `textOfSafeCell` gives back what was there. A
 * number is none.
 */
const formula = /^'*[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/
const number = /^[+-]?\d+(?:\.\d+)?$/
const guarded = /^'+[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/

export type PrintCell = (text: string) => string

/** A cell with spaces at its ends is quoted, too: some readers trim others, and some split at semicolons or tabs. */
export const csvCell: PrintCell = (text) =>
  /^\s|[",;\t\r\n]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

export const safeCsvCell: PrintCell = (text) => csvCell(formula.test(text) && !number.test(text) ? `'${text}` : text)

/** The text of a safe cell. */
export const textOfSafeCell = (cell: string): string =>
  cell.charCodeAt(0) === 0x27 && guarded.test(cell) ? cell.slice(1) : cell
