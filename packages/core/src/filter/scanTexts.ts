/**
 * Scans texts and their readings in small steps. The caller may pause between any two, and the deadline is checked after each. Finding one
 * match is linear in the text, finding all matches of a pattern is not (`x*y|x`): only the deadline bounds that.
 *
 * Offsets of hits refer to the texts as they are written.
 */
import { builtinFinders } from "./builtins/builtinFinders.ts"
import type { Step } from "../value/inSlices.ts"
import { findInjections, type Injection } from "./injection/findInjection.ts"
import { normalisedReadings, type Readings } from "./readings/normalisedReadings.ts"
import { type PatternEngineFunctions, finderOf, keptPatterns } from "./patterns/re2jsEngine.ts"
import { type Hit, type ScanJob, type ScanResult, type Sought, wholeTexts } from "./ScanJob.ts"
import { type Span, spansOf, stepSpans, mergeSpans } from "./readings/Reading.ts"
import { wellFormed } from "../value/text.ts"

type Prefilter = ((text: string) => ReadonlySet<number>) | undefined

const prefilters = keptPatterns<{ readonly test: Prefilter }>(100)

type FoundSpan = Span & Partial<Pick<Injection, "name">>

/** Without spreading, which takes longer than finding. */
const hitOf = ({ start, end, name }: FoundSpan, sought: number, text: number): Hit =>
  name === undefined ? { sought, text, start, end } : { sought, text, start, end, name }

const stepsOf = (sought: Sought, engine: PatternEngineFunctions, text: string): Generator<FoundSpan | undefined> => {
  switch (sought.kind) {
    case "builtin":
      return spansOf(builtinFinders[sought.slug], text)
    case "injection":
      return findInjections(text)
    case "pattern":
      return spansOf(finderOf(engine, sought.pattern), text)
  }
}

/** If an engine can determine in one pass which patterns match at all, the others are skipped. */
const prefilterOf = ({ sought }: ScanJob, engine: PatternEngineFunctions): Prefilter => {
  const patterns = sought.flatMap((one, place) => (one.kind === "pattern" ? [{ pattern: one.pattern, place }] : []))
  if (patterns.length < 2) return undefined
  const sources = patterns.map(({ pattern }) => pattern)
  const { test } = prefilters(engine, JSON.stringify(sources), () => ({ test: engine.prefilter?.(sources) }))
  return test && ((text) => new Set([...test(text)].map((index) => patterns[index]?.place ?? -1)))
}

/** After this many findings of one search in a request, the search ends as if its time were up. */
const maxHits = 30_000
/** After this many findings in all, every search ends. */
const maxAllHits = 50_000

/** At most so many texts in one step. */
const stepTexts = 50

/** The readings of every text; undefined when there was no time for that. */
function* readAll(texts: ScanJob["texts"], isLate: () => boolean): Generator<Step, readonly Readings[] | undefined> {
  const all: Readings[] = []
  for (const [index, text] of (yield* wholeTexts(texts)).entries()) {
    const steps = normalisedReadings(wellFormed(text))
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) {
      if (isLate()) return undefined
      yield
    }
    all.push(step.value)
    if (index % stepTexts === stepTexts - 1) {
      if (isLate()) return undefined
      yield
    }
  }
  return all
}

/**
 * `now` in milliseconds. Each search may use half of the remaining time, so that a slow one does not starve the others.
 * Yields between steps.
 */
export function* scanTexts(
  job: ScanJob,
  engine: PatternEngineFunctions,
  now: () => number
): Generator<Step, ScanResult> {
  const begun = now()
  const end = begun + job.budgetMillis
  const hits: Hit[] = []
  const unfinished: number[] = []
  const texts = yield* readAll(job.texts, () => now() > (begun + end) / 2)
  if (texts === undefined) return { hits, unfinished: [...job.sought.keys()] }
  const prefilter = prefilterOf(job, engine)
  const matching =
    prefilter === undefined ? undefined : texts.map(({ patterns }) => patterns.map(({ text }) => prefilter(text)))
  for (const [place, sought] of job.sought.entries()) {
    const started = now()
    const deadline = started + (end - started) / 2
    const most = Math.min(hits.length + maxHits, maxAllHits)
    let isLate = hits.length >= maxAllHits
    for (const [index, { patterns, builtins }] of texts.entries()) {
      if (isLate) break
      const readings = sought.kind === "pattern" ? patterns : builtins
      const isReadOnce = readings.length === 1
      const found: FoundSpan[][] = readings.map(() => [])
      let foundCount = 0
      for (const [number, { text, origin }] of readings.entries()) {
        if (isLate) break
        if (sought.kind === "pattern" && matching?.[index]?.[number]?.has(place) === false) continue
        for (const span of stepsOf(sought, engine, text)) {
          if (span !== undefined) {
            if (isReadOnce) hits.push(hitOf(span, place, index))
            else {
              found[number]?.push(number === 0 ? span : { ...span, ...origin(span) })
              foundCount++
            }
          }
          if (now() > deadline || hits.length + foundCount >= most) {
            isLate = true
            break
          }
          yield
        }
      }
      if (!isReadOnce)
        for (const span of yield* mergeSpans(found)) {
          hits.push(hitOf(span, place, index))
          if (hits.length % stepSpans === 0) yield
        }
      // A text that took no step took a little time all the same.
      if (index % stepTexts === stepTexts - 1) {
        isLate ||= now() > deadline
        yield
      }
    }
    if (isLate) unfinished.push(place)
  }
  return { hits, unfinished }
}
