/** Payment card numbers: lengths by issuer, and the check digit of ISO/IEC 7812 (Luhn). */

const issuers: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^5[0-8]/, lengths: [16] },
  { prefix: /^2[2-7]/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^3[0689]/, lengths: [14, 16] },
  { prefix: /^35/, lengths: [16, 17, 18, 19] },
  { prefix: /^6/, lengths: [16, 17, 18, 19] }
]

const shortest = 13
const longest = 19
/** Numbers that follow each other without a break are united as far as this. */
const longestChain = 4_096

const checks = (digits: string): boolean => {
  let sum = 0
  for (let index = digits.length - 1, isDoubled = false; index >= 0; index--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(index) - 48
    sum += isDoubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit
  }
  return sum % 10 === 0
}

const isCard = (digits: string): boolean =>
  checks(digits) && issuers.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits))

const isDigit = (character: string): boolean => character >= "0" && character <= "9"

/** Those of a page do not break a line, or became dashes. */
const isSeparator = (character: string): boolean => " -\u00a0\u202f\u2010\u2011\u2012\u2013".includes(character)

/** Where the longest card number ends that starts here, single spaces and hyphens between its digits allowed. */
const cardEnd = (text: string, start: number): number | undefined => {
  let digits = ""
  let end: number | undefined
  for (let at = start; at < text.length && digits.length < longest; at++) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (isDigit(character)) {
      digits += character
      if (digits.length >= shortest && !isDigit(next) && isCard(digits)) end = at + 1
    } else if (!(isSeparator(character) && isDigit(next))) break
  }
  return end
}

/** The same, with every card number that begins inside of it: digits before a number may make another one with its first. */
export const cardsEnd = (text: string, start: number): number | undefined => {
  let end = cardEnd(text, start)
  for (let at = start + 1; end !== undefined && at < Math.min(end, start + longestChain); at++)
    if (!isDigit(text.charAt(at - 1))) end = Math.max(end, cardEnd(text, at) ?? 0)
  return end
}
