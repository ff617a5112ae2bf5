/**
 * Reads what a client sends of a resource by the resource's schema: names in any case become those of the schema, booleans may be texts, what
 * the schema does not have and what only the server sets is left out.
 *
 * Rule: scim#attributes.
 */
import { codePoints, type Issue, maxIssues, scimLimits, type ScimAttribute } from "@gatewarden/contract/internal"
import { extensionNamed, isValues, type ResourceKind, type Values } from "./ResourceKind.ts"

/** Collects what is wrong; more than so many issues are not looked for. */
export class Issues {
  readonly found: Issue[] = []

  add(path: string, code: string, message: string): void {
    if (this.found.length < maxIssues) this.found.push({ path, code, message })
  }
}

const isUnassigned = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** A single value, `undefined` where it is not one or unassigned. */
const readSingle = (attribute: ScimAttribute, sent: unknown, path: string, issues: Issues): unknown => {
  if (isUnassigned(sent)) return undefined
  if (attribute.type === "complex") {
    // A manager may be sent as the id alone, and a member, too.
    const hasValue = attribute.subAttributes?.some(({ name }) => name === "value") === true
    const parts = typeof sent === "string" && hasValue ? { value: sent } : sent
    if (isValues(parts)) {
      const read = readValues(attribute.subAttributes ?? [], parts, path, issues)
      return Object.keys(read).length === 0 ? undefined : read
    }
    issues.add(path, "invalid_type", "Expected an object")
    return undefined
  }
  if (attribute.type === "boolean") {
    if (typeof sent === "boolean") return sent
    if (typeof sent === "string" && /^(?:true|false)$/i.test(sent)) return /^t/i.test(sent)
    issues.add(path, "invalid_type", "Expected true or false")
    return undefined
  }
  if (typeof sent !== "string") {
    issues.add(path, "invalid_type", "Expected a string")
    return undefined
  }
  if (codePoints(sent) > scimLimits.textCharacters) {
    issues.add(path, "too_long", `Expected at most ${scimLimits.textCharacters} characters`)
    return undefined
  }
  return sent
}

/** Of several primary values the last one is. */
export const withOnePrimary = (values: readonly unknown[]): readonly unknown[] => {
  const last = values.findLastIndex((value) => isValues(value) && value["primary"] === true)
  return values.map((value, index) =>
    isValues(value) && value["primary"] === true && index !== last ? { ...value, primary: false } : value
  )
}

/** The value of an attribute; a list where it may have several. */
export const readValue = (attribute: ScimAttribute, sent: unknown, path: string, issues: Issues): unknown => {
  if (!attribute.multiValued) return readSingle(attribute, sent, path, issues)
  if (isUnassigned(sent)) return undefined
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [sent]
  const most = attribute.name === "members" ? scimLimits.members : scimLimits.values
  if (items.length > most) {
    issues.add(path, "too_big", `Expected at most ${most} values`)
    return undefined
  }
  const read = items.map((item, index) => readSingle(attribute, item, `${path}.${index}`, issues))
  const values = withOnePrimary(read.filter((value) => value !== undefined))
  return values.length === 0 ? undefined : values
}

/** The attributes of an object, by their names in the schema. */
export const readValues = (
  attributes: readonly ScimAttribute[],
  sent: Values,
  path: string,
  issues: Issues
): Record<string, unknown> => {
  const byName = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent)) {
    const attribute = byName.get(name.toLowerCase())
    if (attribute === undefined || attribute.mutability === "readOnly") continue
    const place = path === "" ? attribute.name : `${path}.${attribute.name}`
    if (Object.hasOwn(read, attribute.name)) issues.add(place, "repeated", "Given more than once")
    const given = readValue(attribute, value, place, issues)
    if (given !== undefined) read[attribute.name] = given
  }
  return read
}

const externalId: ScimAttribute = {
  name: "externalId",
  type: "string",
  multiValued: false,
  description: "",
  required: false,
  caseExact: true,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none"
}

/** The resource, its extensions under their names. */
export const readResource = (kind: ResourceKind, sent: Values, issues: Issues): Values => {
  const resource = readValues([externalId, ...kind.schema.attributes], sent, "", issues)
  for (const [name, value] of Object.entries(sent)) {
    const extension = extensionNamed(kind, name)
    if (extension === undefined || !isValues(value)) continue
    const read = readValues(extension.attributes, value, extension.id, issues)
    if (Object.keys(read).length > 0) resource[extension.id] = read
  }
  return resource
}
