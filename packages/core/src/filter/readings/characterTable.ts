/** One number for each UTF-16 code unit, so that a loop over a text looks up what a character is instead of searching for it. */

const size = 0x1_00_00
const ascii = 0x80

/** 1 for the characters of ASCII that the expression matches; `beyond` for all others. */
export const tableOf = (expression: RegExp, beyond: 0 | 1 = 0): Uint8Array => {
  const table = new Uint8Array(size).fill(beyond)
  for (let code = 0; code < ascii; code++) table[code] = expression.test(String.fromCharCode(code)) ? 1 : 0
  return table
}

/** The small letter for a letter of ASCII, itself for other characters of ASCII; 0 for all others. */
export const smallLetters = new Uint8Array(size)
for (let code = 0; code < ascii; code++) smallLetters[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0)
