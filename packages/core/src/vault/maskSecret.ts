/**
 * The masked rendering of a secret: enough for its owner to recognise it, useless to anyone else.
 *
 * Rule: secrets#masks. The two bounds, at most 8 characters and at most a third, hold
 * for every length by construction: 4 + 4 of 24 or more, 2 of 12 or more, none of fewer.
 */

/**
 * Masks a secret, counted in Unicode code points: 24 or more show a head and the last 4, where the head is a prefix that ends
 * in `-` or `_` within the first 4, else the first 2; 12 to 23 show the last 2; fewer show nothing. A JSON object or array, whose ends
 * identify nothing, becomes `{...}`.
 */
export const maskSecret = (secret: string): string => {
  if (isJsonContainer(secret)) return "{...}"
  const points = [...secret]
  if (points.length < 12) return "..."
  if (points.length < 24) return `...${points.slice(-2).join("")}`
  const separator = points.slice(0, 4).findIndex((point) => point === "-" || point === "_")
  const head = points.slice(0, separator === -1 ? 2 : separator + 1)
  return `${head.join("")}...${points.slice(-4).join("")}`
}

/**
 * Whether a text is shaped like a mask: one of these, or one that the public API shows, whose head may be a prefix or asterisks. No
 * credential of a known kind is.
 */
export const looksMasked = (text: string): boolean => /^(?:\{\.{3}\}|\*{4,}|[^\s.]{0,16}\.{3}[^\s.]{0,4})$/.test(text)

const isJsonContainer = (secret: string): boolean => {
  if (!/^[ \t\r\n]*[{[]/.test(secret)) return false
  try {
    JSON.parse(secret)
    return true
  } catch {
    return false
  }
}
