/** The known name that a misspelt one most likely means: at most three letters off, undefined when there is none. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (distance <= 3 && (best === undefined || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name
}

/** Levenshtein: insertions, deletions and replacements. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1)))
    row = next
  }
  return row[to.length] ?? 0
}
