/**
 * Whether a key that a host brings is easier to guess than 80 random bits, as far as its characters tell.
 *
 * Rule: access#keys-of-a-host. The estimate is Shannon's entropy of the characters, times their number; of a text that repeats itself, only one
 * repetition counts. 32 random decimal digits have about 100 bits. Words are not looked up.
 */
const leastBits = 80

export const isGuessable = (key: string): boolean => bitsOf(key.slice(0, periodOf(key))) < leastBits

/** The length of the shortest text that, written again and again, is the whole. */
const periodOf = (text: string): number => `${text}${text}`.indexOf(text, 1)

const bitsOf = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits += count * Math.log2(text.length / count)
  return bits
}
