/**
 * What a filter asks for by name, so that an index finds it: the candidates, among which the filter then chooses.
 *
 * Rule: scim#filters.
 */
import { foldName } from "../../value/text.ts"
import type { Filter } from "./Filter.ts"
import type { AttributePath } from "./ResourceKind.ts"

export interface LookUp {
  readonly by: "ids" | "names" | "external_ids" | "members"
  readonly value: string
}

const columnOf = ({ extension, attribute, sub }: AttributePath): LookUp["by"] | undefined => {
  if (extension !== undefined) return undefined
  if (attribute.name === "members" && (sub === undefined || sub.name === "value")) return "members"
  if (sub !== undefined) return undefined
  return ({ id: "ids", externalId: "external_ids", userName: "names", displayName: "names" } as const)[attribute.name]
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** An id that cannot be one finds nothing. */
const lookUp = (by: LookUp["by"], value: string): readonly LookUp[] => {
  if (by === "names") return [{ by, value: foldName(value) }]
  return by === "external_ids" || isUuid(value) ? [{ by, value }] : []
}

/** The look-ups that find everything that can satisfy the filter; undefined where none do. `name`: the attribute that has the name. */
export const lookUpsOf = (filter: Filter, name: "userName" | "displayName"): readonly LookUp[] | undefined => {
  switch (filter.kind) {
    case "and": {
      const found = filter.filters.flatMap((each) => {
        const lookUps = lookUpsOf(each, name)
        return lookUps === undefined ? [] : [lookUps]
      })
      return found.toSorted((one, other) => one.length - other.length)[0]
    }
    case "or": {
      const all = filter.filters.map((each) => lookUpsOf(each, name))
      return all.includes(undefined) ? undefined : all.flatMap((found) => found ?? [])
    }
    case "some":
      if (filter.path.attribute.name !== "members") return undefined
      return lookUpsOf(ofMembers(filter.filter), name)
    case "compare": {
      const { attribute } = filter.path
      if (filter.comparison !== "eq" || typeof filter.value !== "string") return undefined
      // A display name of a user is no name of the directory.
      if ((attribute.name === "userName" || attribute.name === "displayName") && attribute.name !== name)
        return undefined
      const by = columnOf(filter.path)
      return by === undefined ? undefined : lookUp(by, filter.value)
    }
    case "not":
    case "present":
      return undefined
  }
}

/** A filter within `members[…]` as one of the group: the value of a member is looked up as `members`. */
const ofMembers = (filter: Filter): Filter => {
  if (filter.kind === "and" || filter.kind === "or") return { ...filter, filters: filter.filters.map(ofMembers) }
  if (filter.kind !== "compare" || filter.path.attribute.name !== "value") return filter
  return { ...filter, path: { ...filter.path, attribute: { ...filter.path.attribute, name: "members" } } }
}

/** The comparisons of a filter, those within selections too, each with the attribute of the resource that it is about. */
export function* comparisonsIn(
  filter: Filter,
  of?: AttributePath
): Generator<{ readonly filter: Filter; readonly about: AttributePath }> {
  switch (filter.kind) {
    case "and":
    case "or":
      for (const each of filter.filters) yield* comparisonsIn(each, of)
      return
    case "not":
      return yield* comparisonsIn(filter.filter, of)
    case "some":
      return yield* comparisonsIn(filter.filter, filter.path)
    case "compare":
    case "present":
      yield { filter, about: of ?? filter.path }
  }
}
