/** What a SCIM client may ask about the service itself. Rule: scim#discovery. Source: RFC 7643 5 to 7, RFC 7644 4. */
import { type ScimAttribute, type ScimSchema, scimLimits, scimSchemas, scimUrns } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { operation } from "../tracing/operation.ts"
import { notFound } from "../value/failure.ts"
import { type ResourceKind, groupKind, userKind } from "./scim/ResourceKind.ts"

const no = { supported: false }

export const serviceProviderConfig = {
  schemas: [scimUrns.serviceProviderConfig],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: scimLimits.page },
  changePassword: no,
  sort: no,
  etag: no,
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Management key",
      description: "Authorization: Bearer with a management key of the account.",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true
    }
  ],
  meta: { resourceType: "ServiceProviderConfig", location: "/ServiceProviderConfig" }
}

const printedKind = ({ name, schema, extensions }: ResourceKind) => ({
  schemas: [scimUrns.resourceType],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: schema.description,
  schema: schema.id,
  ...(extensions.length === 0
    ? {}
    : { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) }),
  meta: { resourceType: "ResourceType", location: `/ResourceTypes/${name}` }
})

const printedAttribute = (attribute: ScimAttribute): Readonly<Record<string, unknown>> => ({
  ...attribute,
  ...(attribute.subAttributes === undefined ? {} : { subAttributes: attribute.subAttributes.map(printedAttribute) })
})

const printedSchema = (schema: ScimSchema) => ({
  schemas: [scimUrns.schema],
  ...schema,
  attributes: schema.attributes.map(printedAttribute),
  meta: { resourceType: "Schema", location: `/Schemas/${schema.id}` }
})

export const scimKinds = [userKind, groupKind].map(printedKind)
export const printedSchemas = scimSchemas.map(printedSchema)

/** All of them on one page. */
export const listedScim = <T>(Resources: readonly T[]) => ({
  schemas: [scimUrns.list],
  totalResults: Resources.length,
  startIndex: 1,
  itemsPerPage: Resources.length,
  Resources: [...Resources]
})

/** Rule: scim#discovery. */
export const getScimResourceType = operation("getScimResourceType")(function* (name: string) {
  return scimKinds.find(({ id }) => id === name) ?? (yield* notFound())
})

/** Rule: scim#discovery. */
export const getScimSchema = operation("getScimSchema")(function* (name: string) {
  return printedSchemas.find(({ id }) => id === name) ?? (yield* notFound())
})

/** Rule: scim#discovery. */
export const getScimServiceProviderConfig = Effect.succeed(serviceProviderConfig)

/** Rule: scim#discovery. */
export const listScimResourceTypes = Effect.succeed(listedScim(scimKinds))

/** Rule: scim#discovery. */
export const listScimSchemas = Effect.succeed(listedScim(printedSchemas))
