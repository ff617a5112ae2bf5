/**
 * Looks through texts, one small step at a time: whoever drives it may pause between any two, and a deadline is looked at after
 * each. A match is linear in the text, all matches of a pattern are not (`x*y|x`): only the deadline bounds them.
 */
import { builtinFinders } from "./builtinFinders.ts"
import { findInjections } from "./findInjection.ts"
import type { CompiledPattern, PatternEngineFunctions } from "./PatternEngine.ts"
import type { Hit, ScanJob, ScanResult, Sought } from "./ScanJob.ts"
import type { Finder, Span } from "./Span.ts"

/** Compiled patterns of an engine, by their source; the oldest go when there are too many. */
const capacity = 2_000
const compiled = new WeakMap<PatternEngineFunctions, Map<string, CompiledPattern>>()

export const compiledPattern = (engine: PatternEngineFunctions, pattern: string): CompiledPattern => {
  let patterns = compiled.get(engine)
  if (patterns === undefined) compiled.set(engine, (patterns = new Map()))
  const known = patterns.get(pattern)
  if (known !== undefined) return known
  const made = engine.compile(pattern)
  const oldest = patterns.size >= capacity ? patterns.keys().next().value : undefined
  if (oldest !== undefined) patterns.delete(oldest)
  patterns.set(pattern, made)
  return made
}

function* find(finder: Finder, text: string): Generator<Span | undefined> {
  const next = finder.search(text)
  for (let found = next(0); found !== undefined; found = next(found.end))
    yield found.end > found.start ? found : undefined
}

const stepsOf = (sought: Sought, engine: PatternEngineFunctions, text: string): Generator<Span | undefined> => {
  switch (sought.kind) {
    case "builtin":
      return find(builtinFinders[sought.slug], text)
    case "injection":
      return findInjections(text)
    case "pattern":
      return find(compiledPattern(engine, sought.pattern), text)
  }
}

/** Where an engine can tell in one pass which patterns match at all, the others are not tried. */
const prefilterOf = ({ sought }: ScanJob, engine: PatternEngineFunctions) => {
  const places = sought.flatMap((one, place) => (one.kind === "pattern" ? [place] : []))
  if (places.length < 2) return undefined
  const test = engine.prefilter?.(
    places.map((place) => {
      const one = sought[place] as Sought
      return one.kind === "pattern" ? one.pattern : ""
    })
  )
  if (test === undefined) return undefined
  return (text: string): ReadonlySet<number> => new Set([...test(text)].map((place) => places[place] as number))
}

/** A lone surrogate stands for no character; engines that read UTF-8 see U+FFFD, and so shall all. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd")

/**
 * `now` in milliseconds. Each thing sought may use half of what is left, so that a slow one does not starve the others.
 * Yields between steps.
 */
export function* scanTexts(
  job: ScanJob,
  engine: PatternEngineFunctions,
  now: () => number
): Generator<void, ScanResult> {
  const end = now() + job.budgetMillis
  const hits: Hit[] = []
  const unfinished: number[] = []
  const texts = job.texts.map(wellFormed)
  const prefilter = prefilterOf(job, engine)
  const matching = prefilter === undefined ? undefined : texts.map(prefilter)
  for (const [place, sought] of job.sought.entries()) {
    const started = now()
    const deadline = started + (end - started) / 2
    let isLate = false
    for (const [index, text] of texts.entries()) {
      if (isLate) break
      if (sought.kind === "pattern" && matching?.[index]?.has(place) === false) continue
      for (const span of stepsOf(sought, engine, text)) {
        if (span !== undefined) hits.push({ ...span, sought: place, text: index })
        if (now() > deadline) {
          isLate = true
          break
        }
        yield
      }
    }
    if (isLate) unfinished.push(place)
  }
  return { hits, unfinished }
}
