/** The findings of each filter, or why it could not be applied. A generator that can pause between any two findings. */
import type { ChatRole } from "@gatewarden/contract/internal"
import type { CompiledFilter } from "./CompiledFilters.ts"
import type { Detection } from "./Detector.ts"
import type { Hit, ScanResult } from "./ScanJob.ts"

/** Why a filter could not be applied. */
export type Failure = "timeout" | "detector_unavailable"

/** `text`: its passage. */
export type Found = Pick<Hit, "start" | "end" | "text" | "name">

export interface Outcome {
  readonly filter: CompiledFilter
  readonly found: readonly Found[]
  readonly failure: Failure | undefined
}

export interface Searched extends ScanResult {
  /** Undefined when the detector failed. */
  readonly detections: readonly (Detection & Pick<Hit, "text">)[] | undefined
  /** Whose each passage is; `null` for what is in no message. */
  readonly roles: readonly (ChatRole | null)[]
  /** Which passages are ids or settings. */
  readonly tokens: readonly boolean[]
  /** Merges repeated findings in a passage. */
  readonly unite: <F extends Found>(found: readonly F[]) => readonly F[]
}

/** By what was sought, each thing once. */
function* foundBySought(hits: readonly Hit[]): Generator<void, ReadonlyMap<number, readonly Hit[]>> {
  const bySought = new Map<number, Hit[]>()
  const named = new Set<string>()
  for (const hit of hits) {
    yield
    const { sought, text, start, end, name } = hit
    if (name !== undefined) {
      // Windows overlap, and a text is looked through in more than one reading.
      const place = `${text} ${start} ${end} ${name}`
      if (named.has(place)) continue
      named.add(place)
    }
    const others = bySought.get(sought)
    if (others === undefined) bySought.set(sought, [hit])
    else others.push(hit)
  }
  return bySought
}

export function* outcomesOf(
  filters: readonly CompiledFilter[],
  { hits, unfinished, detections, roles, tokens, unite }: Searched
): Generator<void, readonly Outcome[]> {
  const bySought = yield* foundBySought(hits)
  const outcomes: Outcome[] = []
  for (const filter of filters) {
    yield
    const { finds } = filter
    const all: readonly Found[] =
      finds.by === "scan"
        ? unite(bySought.get(finds.sought) ?? [])
        : unite((detections ?? []).filter(({ kind }) => kind === finds.kind))
    const found = all.filter(
      ({ text }) =>
        (!filter.user_only || roles[text] === "user") && (tokens[text] !== true || filter.filter === "secrets")
    )
    const isMissing = finds.by === "scan" ? unfinished.includes(finds.sought) : detections === undefined
    const failure = finds.by === "scan" ? "timeout" : "detector_unavailable"
    outcomes.push({ filter, found, failure: isMissing ? failure : undefined })
  }
  return outcomes
}
