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

/** Those of a page do not break a line, or became dashes. Of one of these, groups may be of any size. */
const isUsual = (character: string): boolean => " -\u00a0\u202f\u2010\u2011\u2012\u2013".includes(character)
const separator = /[ \t\r\n./_\-\u00a0\u202f\u2010-\u2013]/
const longestSeparator = 3

/** Groups as cards have them, or single digits: other numbers stand in columns, and have points, too. */
const isGrouped = (sizes: readonly number[]): boolean =>
  sizes.every((size) => size === 1) ||
  sizes.every((size, index) => size === 4 || (index > 2 && index === sizes.length - 1 && size < 4)) ||
  (sizes.length === 3 && sizes[0] === 4 && sizes[1] === 6 && (sizes[2] === 5 || sizes[2] === 4))

/** Where the longest card number ends that starts here, with what parts its digits. */
const cardEnd = (text: string, start: number): number | undefined => {
  let digits = ""
  let end: number | undefined
  const sizes = [0]
  let isUsualOnly = true
  for (let at = start; at < text.length && digits.length < longest;) {
    const character = text.charAt(at)
    if (isDigit(character)) {
      digits += character
      sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1
      at++
      if (digits.length >= shortest && !isDigit(text.charAt(at)) && (isUsualOnly || isGrouped(sizes)) && isCard(digits))
        end = at
      continue
    }
    let next = at
    while (next - at < longestSeparator && separator.test(text.charAt(next))) next++
    if (next === at || !isDigit(text.charAt(next))) break
    isUsualOnly &&= next - at === 1 && isUsual(character)
    sizes.push(0)
    at = next
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
