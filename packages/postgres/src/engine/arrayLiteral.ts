/**
 * Arrays as PostgreSQL writes them (PostgreSQL, "Array Input and Output Syntax"), for columns of many rows in one parameter.
 *
 * Several times faster than arrays that the driver encodes element by element, and they may be all null or mix the sizes of
 * their numbers.
 */
export type ArrayElement = string | number | bigint | boolean | null | undefined

export const arrayLiteral = (elements: readonly ArrayElement[]): string => {
  let literal = "{"
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index]
    if (index > 0) literal += ","
    if (element === null || element === undefined) literal += "NULL"
    else if (typeof element === "string") literal += quoted(element)
    else literal += String(element)
  }
  return `${literal}}`
}

const quoted = (text: string): string => `"${special.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`

const special = /["\\]/
