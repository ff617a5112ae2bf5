/** Names that do not exist, with the existing one that was probably meant: for options in plain JavaScript, which no compiler checks. */

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour; letter case does not count. */
const distance = (one: string, other: string): number => {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  let beforeLast: readonly number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] ? (beforeLast[column - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = next
  }
  return last[b.length] ?? 0
}

/** One name is the beginning or the last words of the other. */
const abbreviates = (one: string, other: string): boolean => {
  const [short = "", long = ""] = [one.toLowerCase(), other.toLowerCase()].sort((a, b) => a.length - b.length)
  return (
    short.length >= 3 &&
    (long.startsWith(short) || (/[_-]$/.test(long.slice(0, -short.length)) && long.endsWith(short)))
  )
}

/** The known names that are near to one that is not known, the nearest first: at most a third of the letters differ. */
const nearNames = (name: string, known: readonly string[]): readonly string[] =>
  known
    .map((candidate) => {
      const most = Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3))
      // At least as many letters differ as one name is longer than the other.
      const isNear = Math.abs(name.length - candidate.length) <= most
      return { candidate, most, far: isNear || abbreviates(name, candidate) ? distance(name, candidate) : Infinity }
    })
    .filter(({ candidate, most, far }) => far <= most || (far < Infinity && abbreviates(name, candidate)))
    .sort((a, b) => a.far - b.far)
    .map(({ candidate }) => candidate)

/** The nearest of them. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => nearNames(name, known)[0]

/** How many choices a message lists. */
const mostListed = 3

/** A longer name is none that was misspelt. */
const longestName = 40

/** The choices that are nearest to a name that is none of them, as the end of a message; empty if none is near. */
export const nearestOf = (name: string, choices: readonly string[]): string => {
  const near = name.length > longestName ? [] : nearNames(name, choices).slice(0, mostListed)
  return near.length === 0
    ? ""
    : `; the nearest ${near.length === 1 ? "is" : "are"} ${near.map((one) => `"${one}"`).join(", ")}`
}

/** A sentence for each member of `given` that is not among the known names. Values are never repeated. */
export const unknownOptions = (given: object, known: readonly string[]): readonly string[] =>
  Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearestName(name, known)
      return meant === undefined
        ? `${name} is no option; the options are ${known.join(", ")}`
        : `${name} is no option; did you mean ${meant}?`
    })

/**
 * Throws a `TypeError` unless `given` is an object whose members are all options of `O`. The compiler holds the list to the type.
 *
 * @example
 * requireOptions<PgliteStoreOptions>("pglite", options, { dataDir: true, migrate: true })
 */
export const requireOptions = <O extends object>(
  caller: string,
  given: unknown,
  known: Readonly<Record<keyof O, true>>
): void => {
  const names = Object.keys(known)
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new TypeError(`${caller}: expected an object of options (${names.join(", ")})`)
  const problems = unknownOptions(given, names)
  if (problems.length > 0) throw new TypeError(`${caller}: ${problems.join("; ")}`)
}
