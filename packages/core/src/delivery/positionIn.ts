/** From this length on, V8's own search may take the length of the text times the length of the value. */
const longestNative = 250

/** Where a text has a value, or -1; takes time in proportion to the lengths of both, whatever they are. Source: Knuth, Morris, Pratt 1977. */
export const positionIn = (text: string, value: string): number => {
  if (value.length <= longestNative) return text.indexOf(value)
  if (value.length > text.length) return -1
  // Nearly every text lacks the beginning of a long value.
  const first = text.indexOf(value.slice(0, longestNative))
  if (first === -1) return -1
  /** For each beginning of the value, how long the longest shorter beginning is that it ends with. */
  const borders = new Uint32Array(value.length)
  const extended = (held: number, unit: number): number => {
    let length = held
    while (length > 0 && value.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    return value.charCodeAt(length) === unit ? length + 1 : length
  }
  for (let at = 1, held = 0; at < value.length; at++) {
    held = extended(held, value.charCodeAt(at))
    borders[at] = held
  }
  for (let at = first, held = 0; at < text.length; at++) {
    held = extended(held, text.charCodeAt(at))
    if (held === value.length) return at + 1 - held
  }
  return -1
}
