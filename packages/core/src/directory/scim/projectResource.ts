/** Which attributes of a resource are answered. Rule: scim#attributes. Source: RFC 7644 3.9. */
import {
  attributeAt,
  type AttributePath,
  extensionNamed,
  isValues,
  type ResourceKind,
  type Values
} from "./ResourceKind.ts"

export interface Projection {
  readonly attributes?: string | undefined
  readonly excludedAttributes?: string | undefined
}

const always = new Set(["schemas", "id"])

interface Named {
  /** Extensions that are named as a whole. */
  readonly extensions: ReadonlySet<string>
  readonly paths: readonly AttributePath[]
}

const namesIn = (kind: ResourceKind, list: string): Named => {
  const names = list.split(",").map((name) => name.trim())
  return {
    extensions: new Set(names.flatMap((name) => extensionNamed(kind, name)?.id ?? [])),
    paths: names.flatMap((name) => attributeAt(kind, name) ?? [])
  }
}

/** Whether an attribute of the kind itself is answered, as a whole or in part. */
export const isAnswered = (
  kind: ResourceKind,
  { attributes, excludedAttributes }: Projection,
  name: string
): boolean => {
  if (attributes !== undefined) return namesIn(kind, attributes).paths.some(({ attribute }) => attribute.name === name)
  if (excludedAttributes === undefined) return true
  return !namesIn(kind, excludedAttributes).paths.some(
    ({ attribute, sub }) => attribute.name === name && sub === undefined
  )
}

const partsOf = (value: unknown, keep: (part: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((each) => partsOf(each, keep))
  return isValues(value) ? Object.fromEntries(Object.entries(value).filter(([part]) => keep(part))) : value
}

/** Members of the resource or of one of its extensions. */
const projected = (members: Values, paths: readonly AttributePath[], isKept: boolean): Values =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (always.has(name)) return [[name, value]]
      const named = paths.filter(({ attribute }) => attribute.name === name)
      if (named.some(({ sub }) => sub === undefined)) return isKept ? [[name, value]] : []
      if (named.length === 0) return isKept ? [] : [[name, value]]
      const parts = new Set(named.map(({ sub }) => sub?.name))
      return [[name, partsOf(value, (part) => parts.has(part) === isKept)]]
    })
  )

export const projectResource = <R extends Values>(
  kind: ResourceKind,
  resource: R,
  { attributes, excludedAttributes }: Projection
): R => {
  const list = attributes ?? excludedAttributes
  if (list === undefined) return resource
  const isKept = attributes !== undefined
  const { paths, extensions } = namesIn(kind, list)
  const ids = new Set(kind.extensions.map(({ id }) => id))
  const own = Object.fromEntries(Object.entries(resource).filter(([name]) => !ids.has(name)))
  const extended = kind.extensions.flatMap(({ id }) => {
    const members = resource[id]
    if (!isValues(members)) return []
    if (extensions.has(id)) return isKept ? [[id, members]] : []
    const rest = projected(
      members,
      paths.filter(({ extension }) => extension === id),
      isKept
    )
    return Object.keys(rest).length === 0 ? [] : [[id, rest]]
  })
  return {
    ...projected(
      own,
      paths.filter(({ extension }) => extension === undefined),
      isKept
    ),
    ...Object.fromEntries(extended)
  } as R
}
