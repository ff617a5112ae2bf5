/**
 * What all operations of SCIM 2.0 share: names of its schemas, its media type, and the forms of lists and errors.
 *
 * Rule: scim#protocol. Source: RFC 7643, RFC 7644.
 */
import * as z from "zod"
import { reasons, type Reason } from "../reasons.ts"
import { Issue } from "../error.ts"
import { maxJsonValues } from "../operation.ts"
import { documentedAs } from "../primitives.ts"

/** Below it every answer is SCIM's, errors included. */
export const scimPath = "/scim/v2"

export const scimMediaType = "application/scim+json"

export const scimUrns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  enterpriseUser: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
  serviceProviderConfig: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  error: "urn:ietf:params:scim:api:messages:2.0:Error"
} as const

/** Bounds of the protocol, which `ServiceProviderConfig` and the rules tell. */
export const scimLimits = {
  /** Resources on a page, also where `count` asks for more. */
  page: 200,
  /** Resources that a filter may look at. */
  examined: 1_000,
  filterCharacters: 2_048,
  /** Comparisons in a filter. */
  filterTerms: 50,
  filterDepth: 20,
  patchOperations: 1_000,
  /** Values of an attribute that may have several. */
  values: 100,
  textCharacters: 1_024,
  /** Members of a group. */
  members: 10_000
} as const

/** A JSON body, also under SCIM's own media type. */
export const scimJson = <S extends z.ZodType>(schema: S) =>
  ({ kind: "json", schema, maxBytes: 1_048_576, maxValues: maxJsonValues, mediaType: scimMediaType }) as const

/** A resource as a client sends it: attributes are read by the resource's schema, whatever the case of their names. */
const sentResource = (id: string, properties: Readonly<Record<string, unknown>>, required: readonly string[]) =>
  z.looseObject({}).meta({ id, [documentedAs]: { type: "object", properties, required } })

const string = { type: "string" }
const emails = {
  type: "array",
  items: { type: "object", properties: { value: string, type: string, primary: { type: "boolean" } } }
}

export const ScimUserInput = sentResource(
  "ScimUserInput",
  {
    userName: string,
    externalId: string,
    active: { type: "boolean" },
    displayName: string,
    name: { type: "object", properties: { givenName: string, familyName: string, formatted: string } },
    emails
  },
  ["userName"]
)

export const ScimGroupInput = sentResource(
  "ScimGroupInput",
  {
    displayName: string,
    externalId: string,
    members: { type: "array", items: { type: "object", properties: { value: string }, required: ["value"] } }
  },
  ["displayName"]
)

export const ScimPatch = z.looseObject({}).meta({
  id: "ScimPatch",
  [documentedAs]: {
    type: "object",
    properties: {
      schemas: { type: "array", items: string },
      Operations: {
        type: "array",
        items: {
          type: "object",
          properties: { op: { type: "string", enum: ["add", "replace", "remove"] }, path: string, value: {} },
          required: ["op"]
        }
      }
    },
    required: ["Operations"]
  }
})

/** A resource as it is answered: which attributes it has depends on the request. */
export const ScimUser = z.looseObject({ schemas: z.array(z.string()), id: z.string() }).meta({ id: "ScimUser" })
export type ScimUser = z.output<typeof ScimUser>

export const ScimGroup = z.looseObject({ schemas: z.array(z.string()), id: z.string() }).meta({ id: "ScimGroup" })
export type ScimGroup = z.output<typeof ScimGroup>

export const scimListOf = <T extends z.ZodType>(item: T) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(item)
  })

const integer = (description: string) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, "Expected an integer")
    .transform(Number)
    .optional()
    .meta({ description, [documentedAs]: { type: "integer" } })

const names = (description: string) => z.string().max(2_048).optional().meta({ description })

export const scimProjection = {
  attributes: names("Names of attributes, with commas between: only these are answered."),
  excludedAttributes: names("Names of attributes, with commas between: these are not answered.")
}

export const scimQuery = z.object({
  filter: z.string().optional().meta({ description: "RFC 7644 3.4.2.2." }),
  startIndex: integer("From 1; less than 1 is 1."),
  count: integer("At most 200 are answered; less than 0 is 0."),
  ...scimProjection
})
export type ScimQuery = z.output<typeof scimQuery>

export const scimId = z.object({ id: z.guid().toLowerCase() })

/** Which kind of error of RFC 7644 3.12 a reason is; one that is not listed has none. */
export const scimTypes: Partial<Record<Reason, string>> = {
  invalid_json: "invalidSyntax",
  invalid_request: "invalidValue",
  invalid_filter: "invalidFilter",
  filter_too_wide: "tooMany",
  invalid_attribute_path: "invalidPath",
  no_such_value: "noTarget",
  read_only_attribute: "mutability",
  directory_name_taken: "uniqueness"
}

/** The body of an error below `/scim/v2`: that of RFC 7644 3.12, and what our errors tell beside it. */
export const ScimError = z
  .object({
    schemas: z.array(z.string()),
    status: z.string(),
    scimType: z.string().optional(),
    detail: z.string(),
    metadata: z.object({
      request_id: z.string(),
      reason: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]),
      doc_url: z.string(),
      issues: z.array(Issue)
    })
  })
  .meta({ id: "ScimError" })
export type ScimError = z.output<typeof ScimError>
