/**
 * The fewest edits that permit a request; none of them can be left out.
 *
 * It must remove every objection to the request and every objection to one candidate. The candidate with the fewest edits gives a minimal
 * set: if a part of its edits sufficed, that part would be the full set of another candidate, which would be smaller. Edits that permit more
 * candidates may let the request count more tokens, so the rate limits are judged for the candidates that the edits permit.
 */
import type { PolicyEdit, Region } from "@gatewarden/contract/internal"
import type { BudgetState, Cost } from "../ports/ledger.ts"
import type { Edit, Objection } from "../value/issues.ts"
import { remembered } from "../value/remembered.ts"
import type { Candidate } from "./Candidate.ts"
import { openRegions } from "./Policy.ts"
import { policyObjections, type Question, prove } from "./decide.ts"
import type { SharedObjections } from "./judgeCandidate.ts"

// Many candidates have an edit in common: what is computed of one is kept with it.

/** A guardrail may apply twice, to the member and to the key: it is still one field to edit. */
const placeOf = remembered(({ scope, guardrail_id, field }: Edit): string =>
  JSON.stringify([guardrail_id ?? scope, field])
)

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> => (a === b ? a : new Set([...a, ...b]))

const covers = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean => {
  if (a === b) return true
  if (a.size < b.size) return false
  for (const item of b) if (!a.has(item)) return false
  return true
}

/** Merges edits of one field: of limits the larger one, or no limit; a list gets the additions and removals of both. */
const both = (a: Edit, b: Edit): Edit => {
  if ("removed" in a)
    return "removed" in b ? { ...a, removed: union(a.removed, b.removed), added: union(a.added, b.added) } : a
  if ("removed" in b || typeof a.from !== "number") return a
  return a.to === null || (b.to !== null && Number(a.to) >= Number(b.to)) ? a : b
}

/** Whether an edit of a field of a policy does all that another one does: of a field that is no list there is one edit alone. */
const includes = (a: Edit, b: Edit): boolean =>
  !("removed" in b) || ("removed" in a && covers(a.removed, b.removed) && covers(a.added, b.added))

/** Filters are the same that say the same. */
const nameOf = (item: unknown): unknown => (item instanceof Object ? JSON.stringify(item) : item)

/** An empty list is written as none. */
export const printedEdit = (edit: Edit): PolicyEdit => {
  if (!("removed" in edit)) return edit
  const { removed, added, ...at } = edit
  const from: readonly unknown[] = Array.isArray(at.from) ? at.from : []
  const gone = new Set([...removed].map(nameOf))
  const kept = from.filter((item) => !gone.has(nameOf(item)))
  const to = [...kept, ...[...added].filter((item) => !from.includes(item))]
  return { ...at, to: to.length === 0 ? null : to }
}

type Edits = ReadonlyMap<string, Edit>

const answers = (edits: Edits, objections: readonly Objection[]): boolean =>
  objections.every(({ edit }) => {
    const own = edit && edits.get(placeOf(edit))
    return edit && own ? includes(own, edit) : false
  })

/** All edits of the objections, one for each field; undefined if an objection has no edit. */
const editsAgainst = (before: Edits, objections: readonly Objection[]): Edits | undefined => {
  const edits = new Map(before)
  for (const { edit } of objections) {
    if (edit === null) return undefined
    const place = placeOf(edit)
    const other = edits.get(place)
    edits.set(place, other === undefined ? edit : both(other, edit))
  }
  return edits
}

let numbered = 0
const numberOf = remembered((_: Edit) => ++numbered)

/** The same for candidates whose objections have the same edits. */
const keyOf = (objections: readonly Objection[]): string =>
  objections
    .map(({ edit }) => {
      if (edit === null) return "none"
      return placeOf(edit) + ("removed" in edit ? numberOf(edit) : JSON.stringify(edit.to))
    })
    .join()

/** One list for all candidates that have the same edits, in the order of the first of each. */
const grouped = <J extends { readonly candidate: Candidate; readonly objections: readonly Objection[] }>(
  judged: readonly J[]
) => {
  const groups = new Map<string, { readonly objections: readonly Objection[]; readonly candidates: Candidate[] }>()
  for (const { candidate, objections } of judged) {
    const key = keyOf(objections)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { objections, candidates: [candidate] })
    else group.candidates.push(candidate)
  }
  return [...groups.values()]
}

/** The change with the fewest edits; the first of equals. */
const shortest = <C extends { readonly size: number }>(changes: readonly (C | undefined)[]): C | undefined =>
  changes.reduce(
    (least, edits) => (edits !== undefined && edits.size < (least?.size ?? Infinity) ? edits : least),
    undefined
  )

const listed = (edits: Edits | undefined): readonly PolicyEdit[] | null =>
  edits === undefined ? null : [...edits.values()].map(printedEdit)

/**
 * `general`: objections to the request as a whole; `candidates`: objections to each endpoint. Answers `[]` if nothing has to change,
 * `null` if no change of policy suffices.
 */
export const smallestChange = (
  general: readonly Objection[],
  candidates: readonly (readonly Objection[])[]
): readonly PolicyEdit[] | null =>
  listed(shortest(candidates.map((objections) => editsAgainst(new Map(), [...general, ...objections]))))

/**
 * The smallest change for a question. A request from a closed region is to come in by an allowed one: the change names that region and
 * opens no other. Only if the guardrails have no region in common does it edit their lists. `ratesFor`: the rate limits that are used up if
 * these candidates are permitted. In steps: under rate limits, each change is compared with all candidates.
 */
export function* smallestChangeOf(
  question: Question,
  states: readonly BudgetState[],
  costOf: (candidate: Candidate) => Cost,
  ratesFor: (permitted: readonly Candidate[]) => readonly Objection[] = () => []
): Generator<void, readonly PolicyEdit[] | null> {
  // One candidate more never needs a lower limit.
  const isRated = ratesFor(question.candidates).length > 0
  function* throughRegion(ingress_region: Region, before: Edits): Generator<void, Edits | undefined> {
    const asked = { ...question, terms: { ...question.terms, ingress_region } }
    const { general, candidates } = prove(asked, states, costOf)
    const needed = editsAgainst(before, general)
    if (needed === undefined) return undefined
    yield
    const changes: { readonly objections: readonly Objection[]; readonly edits: Edits }[] = []
    for (const { objections } of grouped(candidates)) {
      yield
      const edits = editsAgainst(needed, objections)
      if (edits !== undefined) changes.push({ objections, edits })
    }
    const least = shortest(changes.map(({ edits }) => edits))
    if (!isRated || least === undefined) return least
    const shared: SharedObjections = new Map()
    const judged = grouped(
      question.candidates.map((candidate) => ({ candidate, objections: policyObjections(asked, candidate, shared) }))
    )
    function* permittedBy(edits: Edits): Generator<void, readonly Candidate[]> {
      const permitted: (readonly Candidate[])[] = []
      for (const { objections, candidates } of judged) {
        yield
        if (answers(edits, objections)) permitted.push(candidates)
      }
      return permitted.flat()
    }
    // No change is smaller than the least with the rates that every request exceeds.
    const smallest = least.size + ratesFor([]).length
    let best: Edits | undefined
    for (const { objections, edits } of changes) {
      yield
      if (best !== undefined && (best.size <= smallest || edits.size >= best.size)) continue
      const permitted = yield* permittedBy(edits)
      const rated = editsAgainst(needed, [...ratesFor(permitted), ...objections])
      best = shortest([best, rated])
    }
    return best
  }
  const { ingress_region: from } = question.terms
  const open = openRegions(question.policy.effective)
  if (open.length === 0 || open.includes(from)) return listed(yield* throughRegion(from, new Map()))
  let least: Edits | undefined
  for (const to of open) {
    const edit: PolicyEdit = { scope: "request", guardrail_id: null, field: "ingress_region", from, to }
    least = shortest([least, yield* throughRegion(to, new Map([[placeOf(edit), edit]]))])
  }
  return listed(least)
}
