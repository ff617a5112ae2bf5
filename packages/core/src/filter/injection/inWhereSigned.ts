/**
 * A finder with a regular expression of the platform that is tried only where the next few characters allow a match, for matches that are
 * rare although their characters are frequent.
 */
import { type Finder, tableOf } from "../readings/Reading.ts"

/** What holds wherever the expression matches. Each expression here is of one character of ASCII. */
export interface Sign {
  /** Never stands before a match. */
  readonly notBefore?: RegExp
  readonly first: RegExp
  /** The characters after the first. */
  readonly rest: RegExp
  /** So many characters, the first among them. */
  readonly least: number
}

export interface SignedExpression {
  /** Sticky. */
  readonly expression: RegExp
  readonly sign: Sign
}

/** Characters that are looked at in one step. */
const stepSize = 65_536
/** So many candidates that are none make a step. */
const maxRejected = 200

export const inWhereSigned = ({ expression, sign }: SignedExpression): Finder => {
  const notBefore = sign.notBefore && tableOf(sign.notBefore)
  const first = tableOf(sign.first)
  // Characters beyond ASCII may be spaces.
  const rest = tableOf(sign.rest, 1)
  const further = sign.least - 1

  /** The first candidate from there, or `until`. Looks from the last character backwards, so that most are passed over unseen. */
  const nextCandidate = (text: string, from: number, until: number): number => {
    /** Up to there the characters after the current one are known to be of the rest. */
    let known = 0
    for (let at = from; at < until;) {
      const last = at + further
      if (last >= text.length) return until
      const least = Math.max(at + 1, known)
      let ahead = last
      while (ahead >= least && rest[text.charCodeAt(ahead)] === 1) ahead--
      if (ahead >= least) {
        at = ahead
        continue
      }
      known = last + 1
      if (first[text.charCodeAt(at)] === 1 && (at === 0 || notBefore?.[text.charCodeAt(at - 1)] !== 1)) return at
      at++
    }
    return until
  }

  return {
    search: (text) => (from) => {
      const until = Math.min(text.length, from + stepSize)
      let rejected = 0
      for (let at = nextCandidate(text, from, until); at < until; at = nextCandidate(text, at + 1, until)) {
        expression.lastIndex = at
        const match = expression.exec(text)
        if (match !== null) return { start: at, end: at + match[0].length }
        if (++rejected === maxRejected) return { start: at + 1, end: at + 1 }
      }
      return until < text.length ? { start: until, end: until } : undefined
    }
  }
}
