/**
 * The fewest edits that permit a request; none of them can be left out.
 *
 * It must remove every objection to the request and every objection to one candidate. The candidate with the fewest edits gives a minimal
 * set: if a part of its edits sufficed, that part would be the full set of another candidate, which would be smaller. Edits that permit more
 * candidates may let the request count more tokens, so the rate limits are judged for the candidates that the edits permit.
 */
import type { PolicyEdit, Region } from "@gatewarden/contract/internal"
import type { BudgetState, Cost } from "../ports/ledger.ts"
import type { Objection } from "../value/issues.ts"
import { remembered } from "../value/remembered.ts"
import type { Candidate } from "./Candidate.ts"
import { openRegions } from "./Policy.ts"
import { policyObjections, type Question, prove } from "./decide.ts"
import type { SharedObjections } from "./judgeCandidate.ts"

// Many candidates have an edit in common, and its lists are long: what is computed of one is kept with it.

/** A guardrail may apply twice, to the member and to the key: it is still one field to edit. */
const placeOf = remembered(({ scope, guardrail_id, field }: PolicyEdit): string =>
  JSON.stringify([guardrail_id ?? scope, field])
)

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Nothing is an empty list, as is what is no list. */
const listOf = (value: unknown): readonly unknown[] => (isList(value) ? value : [])

const nameOfFilter = remembered((filter: object) => JSON.stringify(filter))

const nameOf = (item: unknown): string => (item instanceof Object ? nameOfFilter(item) : JSON.stringify(item))

const named = remembered(
  (list: readonly unknown[]): ReadonlyMap<string, unknown> => new Map(list.map((item) => [nameOf(item), item]))
)

interface Difference {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** What an edit of a list removes from it and adds to it: nothing of what is no list. */
const differenceOf = remembered(({ from, to }: PolicyEdit): Difference => {
  const [before, left] = [named(listOf(from)), new Set(listOf(to).map(nameOf))]
  return {
    removed: [...before.keys()].filter((name) => !left.has(name)),
    added: [...left].filter((name) => !before.has(name))
  }
})

/** What both lists left of the list that they change, and then what either added; an empty list is written as none. */
const mergedList = (from: readonly unknown[], a: readonly unknown[], b: readonly unknown[]): PolicyEdit["to"] => {
  const before = named(from)
  const [inA, inB] = [named(a), named(b)]
  const kept = from.filter((item) => inA.has(nameOf(item)) && inB.has(nameOf(item)))
  const added = [...new Map([...inA, ...inB])].flatMap(([name, item]) => (before.has(name) ? [] : [item]))
  const merged = [...kept, ...added]
  return merged.length === 0 ? null : merged
}

/** Merges edits of one field: of limits the larger one, or no limit; a list gets the additions and removals of both. */
const both = (a: PolicyEdit, b: PolicyEdit): PolicyEdit => {
  if (typeof a.from === "number") return a.to === null || (b.to !== null && Number(a.to) >= Number(b.to)) ? a : b
  return isList(a.from) ? { ...a, to: mergedList(a.from, listOf(a.to), listOf(b.to)) } : a
}

/** Whether an edit of a field of a policy does all that another one does: of a field that is no list there is one edit alone. */
const includes = (a: PolicyEdit, b: PolicyEdit): boolean => {
  if (a === b) return true
  const [own, other] = [differenceOf(a), differenceOf(b)]
  return (
    other.removed.every((name) => own.removed.includes(name)) && other.added.every((name) => own.added.includes(name))
  )
}

type Edits = ReadonlyMap<string, PolicyEdit>

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
const numberOf = remembered((_: PolicyEdit) => ++numbered)

/** The same for candidates whose objections have the same edits. */
const keyOf = (objections: readonly Objection[]): string =>
  objections
    .map(({ edit }) => {
      if (edit === null) return "none"
      return placeOf(edit) + (isList(edit.to) ? numberOf(edit) : JSON.stringify(edit.to))
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
  edits === undefined ? null : [...edits.values()]

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
    const permittedBy = (edits: Edits) =>
      judged.flatMap(({ objections, candidates }) => (answers(edits, objections) ? candidates : []))
    // No change is smaller than the least with the rates that every request exceeds.
    const smallest = least.size + ratesFor([]).length
    let best: Edits | undefined
    for (const { objections, edits } of changes) {
      yield
      if (best !== undefined && (best.size <= smallest || edits.size >= best.size)) continue
      const rated = editsAgainst(needed, [...ratesFor(permittedBy(edits)), ...objections])
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
