/**
 * The fewest edits that permit a request; none of them can be left out.
 *
 * It must remove every objection to the request and every objection to one candidate. The candidate with the fewest edits gives a minimal
 * set: if a part of its edits sufficed, that part would be the full set of another candidate, which would be smaller.
 */
import type { PolicyEdit, Region } from "@gatewarden/contract/internal"
import type { BudgetState, Cost } from "../ports/ledger.ts"
import type { Objection } from "../value/issues.ts"
import type { Candidate } from "./Candidate.ts"
import { openRegions } from "./Policy.ts"
import { type Question, prove } from "./decide.ts"

/** A guardrail may apply twice, to the member and to the key: it is still one field to edit. */
const placeOf = ({ scope, guardrail_id, field }: PolicyEdit): string => JSON.stringify([guardrail_id ?? scope, field])

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Filters are long and compared many times. */
const written = new WeakMap<object, string>()

const nameOf = (item: unknown): string => {
  if (typeof item !== "object" || item === null) return JSON.stringify(item)
  const name = written.get(item) ?? JSON.stringify(item)
  written.set(item, name)
  return name
}

const named = (list: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(list.map((item) => [nameOf(item), item]))

/** What both lists left of the list that they change, and then what either added; an empty list is written as none. */
const mergedList = (from: readonly unknown[], a: readonly unknown[], b: readonly unknown[]): PolicyEdit["to"] => {
  const [before, inA, inB] = [named(from), named(a), named(b)]
  const kept = from.filter((item) => inA.has(nameOf(item)) && inB.has(nameOf(item)))
  const added = [...new Map([...inA, ...inB])].flatMap(([name, item]) => (before.has(name) ? [] : [item]))
  const merged = [...kept, ...added]
  return merged.length === 0 ? null : merged
}

/** Merges edits of one field: of limits the larger one, or no limit; a list gets the additions and removals of both. */
const both = (a: PolicyEdit, b: PolicyEdit): PolicyEdit => {
  if (typeof a.from === "number") return a.to === null || (b.to !== null && Number(a.to) >= Number(b.to)) ? a : b
  const [toA, toB] = [a.to ?? [], b.to ?? []]
  return isList(a.from) && isList(toA) && isList(toB) ? { ...a, to: mergedList(a.from, toA, toB) } : a
}

type Edits = ReadonlyMap<string, PolicyEdit>

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

/** The change with the fewest edits; the first of equals. */
const shortest = <C extends { readonly size: number }>(changes: readonly (C | undefined)[]): C | undefined =>
  changes.reduce(
    (least, edits) => (edits !== undefined && edits.size < (least?.size ?? Infinity) ? edits : least),
    undefined
  )

const leastEdits = (
  general: readonly Objection[],
  candidates: readonly (readonly Objection[])[],
  before: Edits = new Map()
): Edits | undefined => {
  const needed = editsAgainst(before, general)
  return shortest(candidates.map((objections) => needed && editsAgainst(needed, objections)))
}

const listed = (edits: Edits | undefined): readonly PolicyEdit[] | null =>
  edits === undefined ? null : [...edits.values()]

/**
 * `general`: objections to the request as a whole; `candidates`: objections to each endpoint. Answers `[]` if nothing has to change,
 * `null` if no change of policy suffices.
 */
export const smallestChange = (
  general: readonly Objection[],
  candidates: readonly (readonly Objection[])[]
): readonly PolicyEdit[] | null => listed(leastEdits(general, candidates))

/**
 * The smallest change for a question. A request from a closed region is to come in by an allowed one: the change names that region and
 * opens no other. Only if the guardrails have no region in common does it edit their lists.
 */
export const smallestChangeOf = (
  question: Question,
  states: readonly BudgetState[],
  costOf: (candidate: Candidate) => Cost
): readonly PolicyEdit[] | null => {
  const throughRegion = (ingress_region: Region, before: Edits): Edits | undefined => {
    const asked = { ...question, terms: { ...question.terms, ingress_region } }
    const { general, candidates } = prove(asked, states, costOf)
    return leastEdits(
      general,
      candidates.map(({ objections }) => objections),
      before
    )
  }
  const { ingress_region: from } = question.terms
  const open = openRegions(question.policy.effective)
  if (open.length === 0 || open.includes(from)) return listed(throughRegion(from, new Map()))
  return listed(
    shortest(
      open.map((to) => {
        const edit: PolicyEdit = { scope: "request", guardrail_id: null, field: "ingress_region", from, to }
        return throughRegion(to, new Map([[placeOf(edit), edit]]))
      })
    )
  )
}
