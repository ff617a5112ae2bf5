/**
 * Arrays as PostgreSQL writes them (PostgreSQL, "Array Input and Output Syntax"), for columns of many rows in one parameter.
 *
 * Several times faster than arrays that the driver encodes element by element, and they may be all null or mix the sizes of
 * their numbers.
 */
export type ArrayElement = string | number | bigint | boolean | null | undefined

export const arrayLiteral = (elements: readonly ArrayElement[]): string =>
  // Joined once: a string that grows is thousands of pieces, which live until it is sent.
  `{${elements.map(textOf).join(",")}}`

const textOf = (element: ArrayElement): string => {
  if (element === null || element === undefined) return "NULL"
  return typeof element === "string" ? quoted(element) : String(element)
}

const quoted = (text: string): string => `"${special.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`

const special = /["\\]/

/** Bytes as text that PostgreSQL reads as `bytea`. */
export const byteaLiteral = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`

/** ISO 8601 as PostgreSQL reads it: no sign before the year, and no year 0, as the one before the first is the first before Christ. */
export const instantText = (instant: Date): string =>
  instant.toISOString().replace(/^([+-]?\d+)(-\d\d-.+)/, (_, text: string, rest: string) => {
    const year = Number(text)
    return year > 0 ? `${String(year).padStart(4, "0")}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`
  })

/** Half of a surrogate pair as `JSON.stringify` writes it, behind any number of escaped backslashes. */
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** JSON that PostgreSQL reads: it refuses a lone surrogate, which becomes U+FFFD as it does in a parameter that is text. */
export const jsonLiteral = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? json.replace(loneSurrogate, "$1\ufffd") : json
}
