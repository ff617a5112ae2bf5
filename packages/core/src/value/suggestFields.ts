/**
 * The unknown field that was probably sent in place of a missing one.
 *
 * Rule: requests#unknown-fields. Unknown fields are ignored, so a misspelt field looks like a missing one.
 */
import { nearestName } from "@gatewarden/contract/internal"
import type * as z from "zod"
import { issuePath, valueAt } from "./issues.ts"

type Schema = z.core.$ZodType

/** The types that a schema stands for, without what may wrap them. */
const opened = (schema: Schema): readonly Schema[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return opened(def.innerType)
    case "pipe":
      return [def.in, def.out].flatMap(opened)
    case "lazy":
      return opened(def.getter())
    case "union":
      return def.options.flatMap(opened)
    case "intersection":
      return [def.left, def.right].flatMap(opened)
    default:
      return [schema]
  }
}

/** The types of a member. */
const member =
  (step: PropertyKey) =>
  (schema: Schema): readonly Schema[] => {
    const { def } = (schema as z.core.$ZodTypes)._zod
    if (def.type === "array") return opened(def.element)
    if (def.type === "record") return opened(def.valueType)
    const field = def.type === "object" && Object.hasOwn(def.shape, step) ? def.shape[String(step)] : undefined
    return field === undefined ? [] : opened(field)
  }

const namesOf = (schema: Schema): readonly string[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === "object" ? Object.keys(def.shape) : []
}

/** An object may have as many unknown fields as a body can hold, with names as long as the body. */
const mostCompared = 20
const longestName = 64

/** Finds it for issues of one value. Reads the fields of each object once, because several may be missing in it. */
export const suggestFields = (root: Schema, sent: unknown) => {
  const unknown = new Map<object, readonly string[]>()
  const unknownIn = (parent: object, path: readonly PropertyKey[]): readonly string[] => {
    const found = unknown.get(parent)
    if (found !== undefined) return found
    let schemas = opened(root)
    for (const step of path) schemas = schemas.flatMap(member(step))
    const known = new Set(schemas.flatMap(namesOf))
    const names: string[] = []
    for (const name of Object.keys(parent)) {
      if (names.length >= mostCompared) break
      if (name.length <= longestName && !known.has(name) && issuePath([name]) === name) names.push(name)
    }
    unknown.set(parent, names)
    return names
  }
  return (path: readonly PropertyKey[]): string | undefined => {
    const field = path.at(-1)
    if (typeof field !== "string") return undefined
    const within = path.slice(0, -1)
    const parent = valueAt(sent, within)
    if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return undefined
    return nearestName(field, unknownIn(parent, within))
  }
}
