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
