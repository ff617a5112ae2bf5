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
