/**
 * The fewest edits that permit a request; none of them can be left out.
 *
 * It must remove every objection to the request and every objection to one candidate. The candidate with the fewest edits gives a minimal
 * set: if a part of its edits sufficed, that part would be the full set of another candidate, which would be smaller.
 */
import type { PolicyEdit } from "@gatewarden/contract"
import type { Objection } from "../value/Objection.ts"

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

/**
 * `general`: objections to the request as a whole; `candidates`: objections to each endpoint. Answers `[]` if nothing has to change,
 * `null` if no change of policy suffices.
 */
export const smallestChange = (
  general: readonly Objection[],
  candidates: readonly (readonly Objection[])[]
): readonly PolicyEdit[] | null => {
  const needed = editsAgainst(new Map(), general)
  const least = candidates
    .map((objections) => needed && editsAgainst(needed, objections))
    .reduce(
      (least, edits) => (edits !== undefined && edits.size < (least?.size ?? Infinity) ? edits : least),
      undefined
    )
  return least === undefined ? null : [...least.values()]
}
