export const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * Random text of letters and digits, uniformly distributed.
 *
 * `random` returns that many unpredictable bytes, fresh at each call.
 */
export const base62 = (count: number, random: (size: number) => Uint8Array): string => {
  // 248 = 4 × 62: larger bytes are skipped, because they would make the first eight digits more likely.
  const unbiased = Math.floor(256 / base62Digits.length) * base62Digits.length
  let text = ""
  while (text.length < count)
    for (const byte of random(count))
      if (byte < unbiased && text.length < count) text += base62Digits[byte % base62Digits.length]
  return text
}

/** Base64url without padding (RFC 4648 5). */
export const base64url = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/**
 * The bytes of base64url without padding; undefined for any other text. Only the canonical text is accepted: unused bits of the last
 * character must be 0 (RFC 4648 3.5), so that equal bytes have equal texts.
 */
export const fromBase64url = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0))
  return base64url(bytes) === text ? bytes : undefined
}

/** A URL without the slashes at its end. An expression such as `/\/+$/` takes time by the square of slashes that are not at the end. */
export const withoutTrailingSlashes = (url: string): string => {
  let end = url.length
  while (url.charAt(end - 1) === "/") end--
  return url.slice(0, end)
}

/**
 * Orders texts by code point, as every order of the contract does (Rule: requests#text-lengths) and as PostgreSQL's collation "C"
 * does.
 *
 * JavaScript compares UTF-16 code units, which puts U+E000 to U+FFFF after the characters beyond them.
 */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) {
      const isLeftSurrogate = left >= 0xd800 && left < 0xe000
      const isRightSurrogate = right >= 0xd800 && right < 0xe000
      if (isLeftSurrogate !== isRightSurrogate) return isLeftSurrogate ? 1 : -1
      return left - right
    }
  }
  return a.length - b.length
}

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

/** A name without its case, by which no two users and no two groups of a directory are alike. */
export const foldName = (name: string): string => name.toLowerCase()

/** ES2024, which the compiler's library does not have yet. */
interface WellFormable {
  readonly toWellFormed: () => string
}

/** A lone surrogate stands for no character; whatever reads UTF-8 sees U+FFFD, or refuses it, so all get U+FFFD. */
export const wellFormed = (text: string): string => (text as string & WellFormable).toWellFormed()
