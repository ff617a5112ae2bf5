/** The two kinds of resources, and where a name leads within one. Names are compared without their case (RFC 7643 2.1). */
import {
  scimCommonAttributes,
  scimEnterpriseSchema,
  scimGroupSchema,
  scimUserSchema,
  type ScimAttribute,
  type ScimSchema
} from "@gatewarden/contract/internal"

export interface ResourceKind {
  readonly name: "User" | "Group"
  readonly schema: ScimSchema
  readonly extensions: readonly ScimSchema[]
}

export const userKind: ResourceKind = { name: "User", schema: scimUserSchema, extensions: [scimEnterpriseSchema] }
export const groupKind: ResourceKind = { name: "Group", schema: scimGroupSchema, extensions: [] }

/** A JSON object of a resource or of one of its values. */
export type Values = Readonly<Record<string, unknown>>

export interface AttributePath {
  /** The schema under whose name the resource has the attribute; undefined for its own. */
  readonly extension: string | undefined
  readonly attribute: ScimAttribute
  readonly sub: ScimAttribute | undefined
}

const isNamed =
  (name: string) =>
  (candidate: { readonly name: string }): boolean =>
    candidate.name.toLowerCase() === name.toLowerCase()

const isCalled = (urn: string, schema: ScimSchema): boolean => schema.id.toLowerCase() === urn.toLowerCase()

/** The extension of that name. */
export const extensionNamed = (kind: ResourceKind, urn: string): ScimSchema | undefined =>
  kind.extensions.find((schema) => isCalled(urn, schema))

/** The schema of that name, its own or an extension. */
export const schemaNamed = (kind: ResourceKind, urn: string): ScimSchema | undefined =>
  isCalled(urn, kind.schema) ? kind.schema : extensionNamed(kind, urn)

export const subAttributeNamed = ({ subAttributes = [] }: ScimAttribute, name: string): ScimAttribute | undefined =>
  subAttributes.find(isNamed(name))

/** `name.sub`, the first part among these attributes. */
const within = (
  attributes: readonly ScimAttribute[],
  text: string,
  extension: string | undefined
): AttributePath | undefined => {
  const [name = "", subName, ...more] = text.split(".")
  const attribute = attributes.find(isNamed(name))
  if (attribute === undefined || more.length > 0) return undefined
  if (subName === undefined) return { extension, attribute, sub: undefined }
  const sub = subAttributeNamed(attribute, subName)
  return sub === undefined ? undefined : { extension, attribute, sub }
}

/** What a path without a filter names: `name.familyName`, or the same behind the name of its schema and a colon. */
export const attributeAt = (kind: ResourceKind, text: string): AttributePath | undefined => {
  const own = [...scimCommonAttributes, ...kind.schema.attributes]
  if (!text.toLowerCase().startsWith("urn:")) return within(own, text, undefined)
  for (const schema of [kind.schema, ...kind.extensions]) {
    if (!text.toLowerCase().startsWith(`${schema.id.toLowerCase()}:`)) continue
    const rest = text.slice(schema.id.length + 1)
    return schema === kind.schema ? within(own, rest, undefined) : within(schema.attributes, rest, schema.id)
  }
  return undefined
}

export const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)
