/**
 * Texts for a builtin content filter: those that it is to find something in, written plainly and in ways that hide it, and those in which
 * there is nothing of its kind.
 *
 * All values are made up: reserved names and numbers, test cards, tokens that spell "example".
 */
export interface Corpus {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
  /** Positive, and not found as things are. One that is found moves up. */
  readonly missed: readonly string[]
  /** Negative, and found as things are. */
  readonly mistaken: readonly string[]
}
