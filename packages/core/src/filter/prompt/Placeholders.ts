/**
 * Numbered placeholders for reversible redaction, and their values. Kept in memory, with the admission.
 *
 * A placeholder is `[NAME_n]`, without brackets inside, and never one that the request contained before, so that a user's text is never
 * replaced by a secret.
 */
import { Restorer } from "./Restorer.ts"

export interface Placeholders {
  readonly of: (label: string, value: string) => string
  readonly restorer: () => Restorer | undefined
}

const nameOf = (label: string): string => label.replace(/[[\]]/g, "")

/**
 * The first `count` numbers of placeholders that the text does not contain. A generator that can pause between any two.
 *
 * `written`: the whole request, before redaction.
 */
export function* freeNumbers(written: Iterable<string>, count: number): Generator<void, readonly number[]> {
  const taken = new Set<number>()
  for (const text of written) {
    const ends = /_(\d{1,15})\]/g
    for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
      taken.add(Number(match[1]))
      yield
    }
  }
  const free: number[] = []
  for (let number = 1; free.length < count; number++) {
    if (!taken.has(number)) free.push(number)
    yield
  }
  return free
}

/** `numbers`: as many as a label may have values. Every label begins at the first. */
export const makePlaceholders = (numbers: readonly number[]): Placeholders => {
  const given = new Map<string, Map<string, string>>()
  const values = new Map<string, string>()
  return {
    of: (label, value) => {
      const name = nameOf(label)
      const of = given.get(name) ?? new Map<string, string>()
      given.set(name, of)
      const known = of.get(value)
      if (known !== undefined) return known
      const placeholder = `[${name}_${numbers[of.size]}]`
      of.set(value, placeholder)
      values.set(placeholder, value)
      return placeholder
    },
    restorer: () => (values.size === 0 ? undefined : new Restorer(values))
  }
}
