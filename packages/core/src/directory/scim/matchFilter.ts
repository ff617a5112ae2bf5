/** Whether a resource satisfies a filter. Rule: scim#filters. Texts are compared without their case, unless the schema says otherwise. */
import type { ScimAttribute } from "@gatewarden/contract"
import { compareText } from "../../value/compareText.ts"
import type { Comparison, Filter } from "./Filter.ts"
import { type AttributePath, isValues, type Values } from "./ResourceKind.ts"

const assigned = (values: readonly unknown[]): readonly unknown[] =>
  values.filter((value) => value !== undefined && value !== null)

/** The values of an attribute, each by itself. */
const valuesAt = (resource: Values, { extension, attribute }: AttributePath): readonly unknown[] => {
  const holder = extension === undefined || !(extension in resource) ? resource : resource[extension]
  const value = isValues(holder) ? holder[attribute.name] : undefined
  return assigned(Array.isArray(value) ? value : [value])
}

/** What is compared: the values themselves, or the part of each that the path or the comparison names. */
const comparedAt = (resource: Values, path: AttributePath, compared: ScimAttribute): readonly unknown[] => {
  const values = valuesAt(resource, path)
  return path.attribute.type === "complex"
    ? assigned(values.map((value) => (isValues(value) ? value[compared.name] : undefined)))
    : values
}

const comparable = ({ type, caseExact }: ScimAttribute, value: unknown): string | number => {
  if (type === "dateTime") return Date.parse(String(value))
  return caseExact ? String(value) : String(value).toLowerCase()
}

const order = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b))

const tests: Readonly<
  Record<Exclude<Comparison, "ne">, (actual: string | number, wanted: string | number) => boolean>
> = {
  eq: (actual, wanted) => actual === wanted,
  co: (actual, wanted) => String(actual).includes(String(wanted)),
  sw: (actual, wanted) => String(actual).startsWith(String(wanted)),
  ew: (actual, wanted) => String(actual).endsWith(String(wanted)),
  gt: (actual, wanted) => order(actual, wanted) > 0,
  ge: (actual, wanted) => order(actual, wanted) >= 0,
  lt: (actual, wanted) => order(actual, wanted) < 0,
  le: (actual, wanted) => order(actual, wanted) <= 0
}

export const matchesFilter = (filter: Filter, resource: Values): boolean => {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((each) => matchesFilter(each, resource))
    case "or":
      return filter.filters.some((each) => matchesFilter(each, resource))
    case "not":
      return !matchesFilter(filter.filter, resource)
    case "present": {
      const { path } = filter
      return comparedOrWhole(resource, path).some((value) => value !== "")
    }
    case "some":
      return valuesAt(resource, filter.path).some((value) => isValues(value) && matchesFilter(filter.filter, value))
    case "compare": {
      const values = comparedAt(resource, filter.path, filter.compared)
      const { comparison, compared, value: wanted } = filter
      if (wanted === null) return (values.length === 0) === (comparison === "eq")
      if (compared.type === "boolean") return values.includes(wanted) === (comparison === "eq")
      const test = tests[comparison === "ne" ? "eq" : comparison]
      const target = comparable(compared, wanted)
      return values.some((value) => test(comparable(compared, value), target)) !== (comparison === "ne")
    }
  }
}

const comparedOrWhole = (resource: Values, path: AttributePath): readonly unknown[] =>
  path.sub === undefined ? valuesAt(resource, path) : comparedAt(resource, path, path.sub)
