/**
 * Secrets that were made to be recognised: submitted everywhere, and then looked for everywhere.
 *
 * A label may show the head, up to 4 characters, and the last 4 of a secret (Rule: secrets#masks); no piece of eight characters
 * from between may be seen again.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Splitmix32: small, and good enough to look random. */
const randomText = (seed: number) => {
  let state = seed | 0
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  return (length: number): string => Array.from({ length }, () => alphabet[next() % alphabet.length] ?? "").join("")
}

/**
 * Distinct secrets, the same for the same seed: 48 characters that any of our secrets may be, an API key as well as a
 * PKCE verifier. Each has its number in the middle, for whoever finds one.
 */
export const makeCanaries = (count: number, seed: number): readonly string[] => {
  const text = randomText(seed)
  return Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(3, "0")
    return `cn-${text(18)}${number}${text(24)}`
  })
}

/** What no label shows of a secret; of a key of our own making a label shows its prefix and three more on either side. */
export const middleOf = (secret: string): string => {
  const prefix = /^gwm?-v1-/.exec(secret)?.[0]
  return prefix === undefined ? secret.slice(4, -4) : secret.slice(prefix.length + 3, -3)
}
