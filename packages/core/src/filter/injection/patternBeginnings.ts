/**
 * Derives the literal texts with which a match of an expression can begin, so that the expression is tried only at those texts.
 *
 * Reads what our own patterns are written in: literals, escapes, classes, groups without capture, lookarounds, `^`, `\b` and quantifiers.
 */

export interface Literal {
  /** In small letters. */
  readonly literal: string
  /** Whether it stands behind the lookbehind of a word's beginning. */
  readonly isAtWord: boolean
}

export interface Beginnings {
  /** No match begins otherwise, unless the expression may match at the start of the text. */
  readonly literals: readonly Literal[]
  /** Whether an alternative begins with `^`. */
  readonly isAtStart: boolean
}

/** A word begins here: neither a letter nor a digit stands before. Words that are joined by a low line begin there, too. */
export const wordStart = "(?<![A-Za-z0-9])"

interface Beginning extends Literal {
  /** Whether what was read so far is this literal and nothing else, so that what follows goes on from it. */
  readonly isWhole: boolean
}

const nothing: Beginning = { literal: "", isAtWord: false, isWhole: true }
const anything: Beginning = { ...nothing, isWhole: false }

const atoms = /\(\?<?[!=]|\(\?:|\[(?:\\.|[^\]\\])*\]|\\u[\da-f]{4}|\\.|[^]/iy
const quantifiers = /\*\??|\+\??|\?\??|\{(\d+)(?:,\d*)?\}\??/y

/** Throws if a match may begin with any text, because such a pattern would have to be tried everywhere. */
export const beginningsOf = (source: string): Beginnings => {
  let at = 0
  let isAtStart = false
  const take = (expression: RegExp): RegExpExecArray | undefined => {
    expression.lastIndex = at
    const match = expression.exec(source) ?? undefined
    at += match?.[0].length ?? 0
    return match
  }
  const atom = (): readonly Beginning[] => {
    const begun = at
    const [written = ""] = take(atoms) ?? []
    if (written.startsWith("(?")) {
      const inner = alternatives()
      at++
      return written === "(?:" ? inner : [{ ...nothing, isAtWord: source.slice(begun, at) === wordStart }]
    }
    if (written === "^") {
      isAtStart = true
      return []
    }
    if (written === "\\b") return [nothing]
    if (written === "\\n") return [{ ...nothing, literal: "\n" }]
    if (written === "." || written.length > 2 || /^\\\w/.test(written) || written.startsWith("[")) return [anything]
    return [{ ...nothing, literal: written.slice(-1).toLowerCase() }]
  }
  const sequence = (): readonly Beginning[] => {
    let open: readonly Beginning[] = [nothing]
    const closed: Beginning[] = []
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const first = atom()
      const quantifier = take(quantifiers)
      const isOptional = quantifier !== undefined && !/^\+|^\{[1-9]/.test(quantifier[0])
      const next = isOptional
        ? open.map((before) => ({ ...before, isWhole: false }))
        : open.flatMap((before) =>
            first.map(({ literal, isAtWord, isWhole }) => ({
              literal: before.literal + literal,
              isAtWord: before.isAtWord || (before.literal === "" && isAtWord),
              isWhole: isWhole && quantifier === undefined
            }))
          )
      closed.push(...next.filter(({ isWhole }) => !isWhole))
      open = next.filter(({ isWhole }) => isWhole)
    }
    return [...closed, ...open]
  }
  const alternatives = (): readonly Beginning[] => {
    const all = [...sequence()]
    while (source[at] === "|") {
      at++
      all.push(...sequence())
    }
    return all
  }
  const literals = alternatives()
  if (literals.some(({ literal }) => literal === ""))
    throw new Error(`A match of this pattern may begin with anything: ${source}`)
  return { literals, isAtStart }
}
